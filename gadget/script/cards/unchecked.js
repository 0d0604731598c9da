/*!
 * The claims that could not be checked, collapsed at the end: each with the reason, and what a
 * person who has the source can do.
 */
'use strict';

const { h, icon, button, outward, unseen } = require( '../page/dom.js' );
const { day, msg, words } = require( '../page/messages.js' );
const { claimOf, sourceOf } = require( './quotes.js' );
const { editWords } = require( './remedies.js' );
const { outcomeWords, slug } = require( './verdicts.js' );
const errorNotice = require( './error_notice.js' );

// Messages: way-*
const WAYS = [ 'open copy', 'archive', 'library', 'scan' ];

function wayOf( way ) {
	return WAYS.includes( way.way ) ? h( 'li', null, outward( way.href, {},
		msg( 'way-' + slug( way.way ) ), icon( 'outward' ), unseen( ' ' + msg( 'opens-elsewhere' ) ) ) ) : null;
}

// Messages: link-*
const LINKS = [ 'failing', 'gone', 'soft 404', 'moved', 'usurped', 'paywalled since' ];

function whyOf( each ) {
	return h( 'p', { class: 'sidenote-unchecked__why' }, icon( 'away' ), h( 'span', { text: each } ) );
}

function linkWords( link ) {
	return msg( 'link-' + slug( link.state ), link.times, link.since ? day( link.since ) : '' );
}

function itemOf( unchecked, options ) {
	const problem = errorNotice.create();
	const open = ( edit ) => Promise.resolve().then( () => options.onEdit( unchecked, edit ) )
		.catch( ( error ) => problem.show( error, { again: () => open( edit ) } ) );
	return h( 'li', { class: 'sidenote-unchecked__item' },
		claimOf( unchecked.claim ),
		unchecked.outcome ? whyOf( outcomeWords( unchecked.outcome ) ) : null,
		unchecked.link && LINKS.includes( unchecked.link.state ) ? whyOf( linkWords( unchecked.link ) ) : null,
		unchecked.source ? h( 'p', null, sourceOf( unchecked.source ) ) : null,
		( unchecked.lines || [] ).map( ( line ) => h( 'p', { class: 'sidenote-quiet', text: words( line ) } ) ),
		( unchecked.ways || [] ).length ? h( 'ul', { class: 'sidenote-unchecked__ways' }, unchecked.ways.map( wayOf ) ) : null,
		h( 'div', { class: 'sidenote-acts__row' },
			button( { icon: 'search', text: msg( 'show-sentence' ), kind: 'quiet', props: { onclick: () => options.onShow( unchecked ) } } ),
			options.onSupply && unchecked.source && unchecked.outcome !== 'read' ? button( {
				icon: 'cite', text: msg( 'supply' ), props: { onclick: () => options.onSupply( unchecked ) }
			} ) : null,
			unchecked.edits.map( ( edit ) => button( {
				icon: edit.kind === 'archive' ? 'archive' : 'tag', text: editWords( edit ), props: { title: msg( 'edit-help' ), onclick: () => open( edit ) }
			} ) ) ),
		problem.element );
}

/**
 * @param {Object[]} all that could not be checked, or whose links have changed
 * @param {Object} options
 * @param {Function} options.onShow is given the one whose sentence is to be shown
 * @param {Function} [options.onSupply] is given the one whose source a reader has
 * @param {Function} options.onEdit is given it and the edit; may return a Promise
 * @param {string} [key] of the words above them
 * @return {HTMLElement|null}
 */
function render( all, options, key ) {
	if ( !all.length ) {
		return null;
	}
	const list = h( 'ul', { class: 'sidenote-unchecked__list' } );
	// Made when they are opened: there may be hundreds.
	const fill = () => {
		if ( !list.firstChild ) {
			all.forEach( ( each ) => list.appendChild( itemOf( each, options ) ) );
		}
	};
	return h( 'details', { class: 'sidenote-unchecked', ontoggle: fill },
		h( 'summary', { text: msg( key || 'unchecked', all.length ) } ), list );
}

module.exports = { render };
