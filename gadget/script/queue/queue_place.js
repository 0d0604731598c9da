/*!
 * The place of one card of the queue: its page, its sentence in context, and how far the reader has
 * come.
 * The paragraph around the sentence is requested from the reader's own wiki, so that a reader of the
 * queue need not open the page; without it only the sentence is shown.
 */
'use strict';

const { articleOf, isSection } = require( '../actions/article_page.js' );
const { bdi, h, outward, wikiAddress } = require( '../page/dom.js' );
const { msg } = require( '../page/messages.js' );

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
	const query = { action: 'parse', prop: 'text', formatversion: 2, disablelimitreport: true };
	if ( isSection( section ) ) {
		query.section = section;
	}
	return articleOf( mw, card.title ).then( ( article ) => new Promise( ( resolve ) => {
		new mw.Api().get( Object.assign( { pageid: article.pageid }, query ) ).then( ( answer ) => {
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
	} ) ).catch( () => null );
}

/**
 * @param {Object} mw
 * @param {Object} card
 * @param {boolean} isHere whether its page stands on the reader's own wiki
 * @return {Element} the sentence; what stands around it comes when it is there. Hidden
 *  while it would only say the claim again
 */
function contextOf( mw, card, isHere ) {
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

/**
 * @param {Object} card
 * @return {string} address of its page, at its section
 */
function pageAddress( card ) {
	const address = wikiAddress( card.wiki, { title: card.title } );
	const section = card.claim.section[ card.claim.section.length - 1 ];
	return address && section ? address + '#' + encodeURIComponent( section.replace( / /g, '_' ) ) : address;
}

/**
 * @param {Object} given
 * @param {Object} given.mw
 * @param {string} given.here the wiki that the reader is on
 * @param {Object} given.card
 * @return {Element} with a heading that can be focused
 */
function show( given ) {
	const { card, mw } = given;
	const isHere = card.wiki === given.here && mw.config.get( 'skin' ) !== 'sidenote-local';
	return h( 'header', { class: 'sidenote-queue__place' },
		h( 'h2', { class: 'sidenote-queue__page', tabindex: '-1' },
			outward( pageAddress( card ), {}, bdi( card.title ) ),
			...card.claim.section.map( ( name ) => [ h( 'span', { class: 'sidenote-queue__step', 'aria-hidden': 'true' } ), h( 'span', { class: 'sidenote-queue__section' }, bdi( name ) ) ] ) ),
		h( 'p', { class: 'sidenote-queue__wiki', dir: 'ltr', text: card.wiki } ),
		contextOf( mw, card, isHere ) );
}

/**
 * @param {Object} pile
 * @return {Element} such as "3 of 41", in words and as a bar
 */
function progress( pile ) {
	const total = pile.total(), at = Math.min( pile.at() + 1, total );
	const text = msg( 'queue-progress', at, total );
	const bar = h( 'progress', { class: 'sidenote-queue__progress-bar', 'aria-label': text } );
	bar.max = total;
	bar.value = at;
	return h( 'div', { class: 'sidenote-queue__progress' }, h( 'span', { text } ), bar );
}

module.exports = { show, progress };
