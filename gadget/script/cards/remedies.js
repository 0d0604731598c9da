/*!
 * What would fix a citation: another source or an archived copy that supports the claim, and the
 * changes a reader can open in the editor, in the order in which editors work: write, replace the
 * source, and tag only what is left.
 */
'use strict';

const { h, bdi, icon, button } = require( '../page/dom.js' );
const { msg } = require( '../page/messages.js' );
const { sourceOf } = require( './quotes.js' );

// Messages: edit-do-*
const KINDS = [ 'restore', 'archive', 'wording', 'update', 'place', 'cite', 'untag', 'tag' ]; // fixes come before tags
const TAGS = [ 'untag', 'tag' ];
const MOST_LABEL = 48;
const PLACE = '\u0000';

function shortened( text ) {
	return text.length > MOST_LABEL ? text.slice( 0, MOST_LABEL - 1 ) + '…' : text;
}

/**
 * @param {Object} card
 * @return {Object[]} its edits that change something, the best first
 */
function ranked( card ) {
	const place = ( edit ) => KINDS.includes( edit.kind ) ? KINDS.indexOf( edit.kind ) : KINDS.length;
	return card.edits.filter( ( edit ) => edit.kind !== 'section' ).map( ( edit, index ) => ( { edit, index } ) )
		.sort( ( one, other ) => place( one.edit ) - place( other.edit ) || one.index - other.index )
		.map( ( each ) => each.edit );
}

/**
 * @param {Object} edit
 * @return {Array} what it does, in words; a name in it keeps its own direction
 */
function editWords( edit ) {
	const kind = KINDS.includes( edit.kind ) ? edit.kind : 'tag', label = shortened( edit.label );
	const [ before, after ] = msg( 'edit-do-' + kind, PLACE ).split( PLACE );
	return after === undefined ? [ before ] : [
		before, TAGS.includes( kind ) ? h( 'bdi', { class: 'sidenote-template', dir: 'auto', text: '{{' + label + '}}' } ) : bdi( label ), after
	];
}

/**
 * @param {Object} edit
 * @param {Function} act
 * @return {HTMLElement} a button that opens the editor with the change in it
 */
function editButton( edit, act ) {
	return button( {
		icon: edit.kind === 'tag' ? 'tag' : edit.kind === 'untag' ? 'check' : edit.kind === 'archive' ? 'archive' : edit.kind === 'wording' ? 'edit' : edit.kind === 'restore' ? 'undo' : 'cite',
		text: editWords( edit ),
		props: { class: 'sidenote-edit', title: msg( 'edit-help' ), onclick: act }
	} );
}

/**
 * @param {Object} card
 * @param {boolean} [canWrite] whether there is a wiki to write on
 * @return {Object|null} the edit that opens the section and changes nothing in it
 */
function fixOf( card, canWrite ) {
	const own = card.edits.filter( ( edit ) => edit.kind === 'section' )[ 0 ];
	const path = card.claim.section;
	return own || ( canWrite ? {
		kind: 'section', label: path.length ? path[ path.length - 1 ] : '',
		section: card.edits.length ? card.edits[ 0 ].section : null
	} : null );
}

/**
 * @param {Object} card
 * @param {Object} remedy
 * @param {Function} copy is given the citation and the button
 * @return {HTMLElement}
 */
function remedyOf( card, remedy, copy ) {
	const isArchive = remedy.kind === 'archived copy', source = card.sources[ remedy.source ];
	return h( 'figure', { class: 'sidenote-quote sidenote-remedy' },
		h( 'p', { class: 'sidenote-remedy__kind' },
			icon( isArchive ? 'archive' : 'cite' ),
			h( 'span', { text: msg( isArchive ? 'remedy-archived' : 'remedy-other' ) } ) ),
		h( 'blockquote', { class: 'sidenote-quote__words', dir: 'auto' }, h( 'strong', { class: 'sidenote-quote__said', text: remedy.quote } ) ),
		h( 'figcaption', { class: 'sidenote-quote__from' },
			source ? sourceOf( source ) : null,
			remedy.citation ? h( 'span', { class: 'sidenote-remedy__copy' },
				button( {
					icon: 'copy', kind: 'quiet', text: msg( 'copy-citation' ),
					props: { title: remedy.citation, onclick: ( event ) => copy( remedy.citation, event.currentTarget ) }
				} ) ) : null ) );
}

module.exports = { ranked, editWords, editButton, fixOf, remedyOf };
