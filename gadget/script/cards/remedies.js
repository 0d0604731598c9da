/*!
 * What would mend a citation: another source or an archived copy that says the claim, and
 * the changes a reader can open in the editor, the best of them first.
 */
'use strict';

const { h, icon, button } = require( '../page/dom.js' );
const { msg } = require( '../page/messages.js' );
const { sourceOf } = require( './quotes.js' );

// Messages: edit-short-*
const KINDS = [ 'archive', 'wording', 'update', 'place', 'cite', 'section', 'tag' ]; // what mends goes before what only says so
const MOST_LABEL = 48;

function shortened( text ) {
	return text.length > MOST_LABEL ? text.slice( 0, MOST_LABEL - 1 ) + '…' : text;
}

/**
 * @param {Object} card
 * @return {Object[]} its edits, the best first
 */
function ranked( card ) {
	const place = ( edit ) => KINDS.includes( edit.kind ) ? KINDS.indexOf( edit.kind ) : KINDS.length;
	return card.edits.map( ( edit, index ) => ( { edit, index } ) )
		.sort( ( one, other ) => place( one.edit ) - place( other.edit ) || one.index - other.index )
		.map( ( each ) => each.edit );
}

/**
 * @param {Object} edit
 * @return {string} what it puts in
 */
function editWords( edit ) {
	const kind = KINDS.includes( edit.kind ) ? edit.kind : 'tag', label = shortened( edit.label );
	return msg( 'edit-short-' + kind, kind === 'tag' ? '{{' + label + '}}' : label );
}

/**
 * @param {Object} edit
 * @param {Function} act
 * @return {HTMLElement} the card's main button
 */
function editButton( edit, act ) {
	return button( {
		icon: 'edit', kind: 'primary', text: msg( 'edit-open', editWords( edit ) ),
		props: { class: 'sidenote-primary', title: edit.label, onclick: act }
	} );
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

module.exports = { ranked, editWords, editButton, remedyOf };
