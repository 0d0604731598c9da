/*!
 * The paragraph of the article around a card's sentence, as text, so that a reader of the queue
 * need not open the page. Requested from the reader's own wiki; without it only the sentence is
 * shown.
 */
'use strict';

const { bdi, h } = require( '../page/dom.js' );

const DROPPED = 'sup.reference, .mw-editsection, style, script, .noprint, .mw-ref, .error';
const MAX_AROUND = 400;

const folded = ( text ) => text.replace( /\s+/g, ' ' ).trim();

function paragraphs( html ) {
	// An inert document: nothing in it runs or loads, and only its text is used.
	const page = new DOMParser().parseFromString( html, 'text/html' );
	page.querySelectorAll( DROPPED ).forEach( ( element ) => element.remove() );
	return Array.from( page.querySelectorAll( 'p, li, dd, td, blockquote' ) )
		.map( ( element ) => folded( element.textContent ) );
}

/**
 * @param {Object} mw
 * @param {Object} card
 * @return {Promise<Object|null>} before, sentence and after; null where it is not found
 */
function around( mw, card ) {
	const section = card.edits.length ? card.edits[ 0 ].section : null;
	const query = { action: 'parse', page: card.title, prop: 'text', formatversion: 2, disablelimitreport: true };
	if ( section !== null ) {
		query.section = section;
	}
	return new Promise( ( resolve ) => {
		new mw.Api().get( query ).then( ( answer ) => {
			const sentence = folded( card.claim.sentence );
			const found = paragraphs( String( answer.parse.text ) ).filter( ( text ) => text.includes( sentence ) )[ 0 ];
			if ( !sentence || !found ) {
				resolve( null );
				return;
			}
			const at = found.indexOf( sentence );
			resolve( {
				before: found.slice( Math.max( 0, at - MAX_AROUND ), at ),
				isCutBefore: at > MAX_AROUND,
				sentence,
				after: found.slice( at + sentence.length, at + sentence.length + MAX_AROUND ),
				isCutAfter: found.length > at + sentence.length + MAX_AROUND
			} );
		}, () => resolve( null ) );
	} ).catch( () => null );
}

/**
 * @param {Object} mw
 * @param {Object} card
 * @param {boolean} isHere whether its page stands on the reader's own wiki
 * @return {Element} the sentence; what stands around it comes when it is there. Hidden
 *  while it would only say the claim again
 */
function show( mw, card, isHere ) {
	const sentence = h( 'mark', { class: 'sidenote-queue__sentence' }, bdi( card.claim.sentence ) );
	const element = h( 'blockquote', { class: 'sidenote-queue__context', dir: 'auto' }, sentence );
	// A card shows the claim itself; this shows more than that.
	element.hidden = folded( card.claim.sentence ) === folded( card.claim.text );
	if ( isHere ) {
		around( mw, card ).then( ( found ) => {
			if ( found ) {
				element.hidden = false;
				element.replaceChildren(
					( found.isCutBefore ? '… ' : '' ) + found.before,
					sentence,
					found.after + ( found.isCutAfter ? ' …' : '' )
				);
			}
		} );
	}
	return element;
}

module.exports = { show };
