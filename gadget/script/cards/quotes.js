/*!
 * Evidence as it is shown: the claim with its unsupported words, the quote in its context with a
 * link to its passage, and the source with what is known about it.
 */
'use strict';

const { h, icon, bdi, unseen, outward } = require( '../page/dom.js' );
const { day, msg } = require( '../page/messages.js' );
const { badge, slug } = require( './verdicts.js' );

const SHOWN = 1; // quotes; others are collapsed, except an update's, which depend on each other
const SHOWN_OF_UPDATE = 3;
// Messages: quote-hidden-words, quote-recognised, quote-in-part
const CAVEATS = [ 'hidden words', 'recognised' ];
const DATE = /^\d{4}(-\d\d(-\d\d)?)?($|T)/;

function marked( words ) {
	return h( 'mark', { class: 'sidenote-unsupported', title: msg( 'claim-unsupported' ) },
		unseen( msg( 'claim-unsupported-start' ) + ' ' ), words, unseen( ' ' + msg( 'claim-unsupported-end' ) ) );
}

function meant( words ) {
	return h( 'mark', { class: 'sidenote-meant', title: msg( 'claim-meant' ) },
		unseen( msg( 'claim-meant-start' ) + ' ' ), words, unseen( ' ' + msg( 'claim-unsupported-end' ) ) );
}

function differing( words ) {
	return h( 'mark', { class: 'sidenote-meant', title: msg( 'differs' ) },
		unseen( msg( 'differs-start' ) + ' ' ), words, unseen( ' ' + msg( 'claim-unsupported-end' ) ) );
}

function pieceOf( piece, isCompared ) {
	if ( isCompared ) {
		return piece.is_meant ? differing( piece.text ) : piece.text;
	}
	return piece.unsupported ? marked( piece.text ) : piece.is_meant ? meant( piece.text ) : piece.text;
}

/**
 * @param {Object} claim
 * @param {boolean} [isCompared] whether its marked words are those that a passage lacks
 * @return {HTMLElement}
 */
function claimOf( claim, isCompared ) {
	const place = ( claim.place || [] ).join( ' · ' ); // an older backend sends none
	return h( 'p', { class: 'sidenote-claim', dir: 'auto' },
		place ? h( 'span', { class: 'sidenote-claim__place' }, bdi( place ), ': ' ) : null,
		claim.pieces.length ?
			claim.pieces.map( ( piece ) => pieceOf( piece, isCompared ) ) :
			claim.text );
}

function caveatOf( kind ) {
	return CAVEATS.includes( kind ) ? 'quote-' + slug( kind ) : 'quote-in-part';
}

function published( source ) {
	return source.published ? bdi( DATE.test( source.published ) ? day( source.published ) : source.published ) : null;
}

/**
 * @param {Object} source
 * @param {Object} [quote] from it
 * @return {HTMLElement} its name, then where it appeared, when, and what the wiki says of it
 */
function sourceOf( source, quote ) {
	const facts = [
		source.work && source.work !== source.title ? bdi( source.work ) : null,
		source.host && source.host !== source.work ? bdi( source.host ) : null,
		published( source ),
		quote && quote.page ? h( 'span', { text: msg( 'quote-page', quote.page ) } ) : null,
		quote && quote.is_archived ? h( 'span', { text: msg( 'quote-archived' ) } ) : null,
		...[ ...new Set( ( quote && quote.caveats || [] ).map( caveatOf ) ) ]
			.map( ( one ) => h( 'span', { text: msg( one ) } ) )
	].filter( Boolean );
	return h( 'span', { class: 'sidenote-source' },
		h( 'cite', { class: 'sidenote-source__name' },
			outward( source.href, {}, bdi( source.title || source.host || source.key ) ) ),
		facts.map( ( fact ) => [ ' · ', fact ] ),
		source.reliability ? [ ' ', badge( source.reliability ) ] : null );
}

/**
 * @param {Object} quote
 * @param {Object|null} source
 * @param {Function} onOpen called when its passage is opened
 * @param {boolean} [isFirst] whether to open it is what an editor does first
 * @return {HTMLElement}
 */
function quoteOf( quote, source, onOpen, isFirst ) {
	return h( 'figure', { class: 'sidenote-quote' },
		quote.dated ? h( 'p', { class: 'sidenote-quote__date' },
			icon( 'update' ), h( 'time', { datetime: quote.dated, text: day( quote.dated ) } ) ) : null,
		h( 'blockquote', { class: 'sidenote-quote__words', lang: quote.language, dir: 'auto' },
			quote.cut_before ? '…\u00A0' : null,
			h( 'span', { class: 'sidenote-quote__around', text: quote.before } ),
			( quote.pieces || [] ).length ?
				h( 'span', { class: 'sidenote-quote__said' }, quote.pieces.map( ( piece ) => pieceOf( piece, true ) ) ) :
				h( 'strong', { class: 'sidenote-quote__said', text: quote.quote } ),
			h( 'span', { class: 'sidenote-quote__around', text: quote.after } ),
			quote.cut_after ? '\u00A0…' : null ),
		h( 'figcaption', { class: 'sidenote-quote__from' },
			source ? sourceOf( source, quote ) : null,
			quote.href ? outward( quote.href, { class: 'sidenote-passage' + ( isFirst ? ' sidenote-primary' : '' ), onclick: onOpen },
				msg( 'quote-open' ), icon( 'outward' ), unseen( ' ' + msg( 'opens-elsewhere' ) ) ) : null ) );
}

/**
 * @param {Object} card
 * @param {Function} onOpen is given the quote whose passage is opened
 * @return {HTMLElement[]}
 */
function quotesOf( card, onOpen ) {
	const made = card.quotes.map( ( quote, at ) => quoteOf( quote, card.sources[ quote.source ] || null, () => onOpen( quote ), !at && !card.mine ) );
	const shown = card.kind === 'update' ? SHOWN_OF_UPDATE : SHOWN, rest = made.slice( shown );
	return made.slice( 0, shown ).concat( rest.length ?
		h( 'details', { class: 'sidenote-more' },
			h( 'summary', { text: msg( 'quotes-more', rest.length ) } ), rest ) : [] );
}

/**
 * @param {Object} card
 * @return {HTMLElement[]} what was read for it, where no passage of it is shown
 */
function sourcesOf( card ) {
	const offered = card.remedies.map( ( remedy ) => remedy.source );
	return card.sources.filter( ( _, at ) => !offered.includes( at ) ).map( ( source ) => h( 'p', null, sourceOf( source ) ) );
}

module.exports = { claimOf, quotesOf, quoteOf, sourceOf, sourcesOf };
