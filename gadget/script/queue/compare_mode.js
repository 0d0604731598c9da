/*!
 * A claim and two citations for it, one from the article and one recommended. The reader says which
 * supports the claim better without knowing which is which: only what a source says is shown, never
 * where its copy was found, and nothing on the page reveals the order. Collected as in the
 * evaluation of SIDE (Petroni et al. 2023).
 */
'use strict';

const { bdi, button, h, replace } = require( '../page/dom.js' );
const { newKey } = require( '../actions/api.js' );
const { day, msg } = require( '../page/messages.js' );
const notices = require( './queue_notices.js' );

const ANSWERS = [
	[ '1', 'first', 'compare-first' ], [ '2', 'second', 'compare-second' ],
	[ '=', 'either', 'compare-either' ], [ '0', 'neither', 'compare-neither' ]
];

function quoteOf( quote ) {
	return h( 'blockquote', { class: 'sidenote-queue__quote', lang: quote.language || null, dir: 'auto' },
		quote.cut_before ? '… ' : null, quote.before,
		h( 'mark', { text: quote.quote } ),
		quote.after, quote.cut_after ? ' …' : null );
}

// Its links and its archive would reveal which one it is.
function sideOf( side, name ) {
	const source = side.source;
	const about = [ source.work, source.published && day( source.published ) ].filter( Boolean )
		.map( ( fact, index ) => [ index ? ' · ' : null, bdi( fact ) ] );
	return h( 'section', { class: 'sidenote-queue__side', 'aria-label': name },
		h( 'h3', { class: 'sidenote-queue__side-name', text: name } ),
		h( 'p', { class: 'sidenote-queue__source' }, bdi( source.title ) ),
		about.length ? h( 'p', { class: 'sidenote-queue__about' }, about ) : null,
		side.quotes.length ? side.quotes.map( quoteOf ) :
			h( 'p', { text: msg( 'compare-no-quote' ) } ) );
}

/**
 * @param {Object} given api, root, announce( text ), signIn(), leave()
 * @return {Object} start(), keys(), help(), close()
 */
function open( given ) {
	const { api, root, announce } = given;
	let shown = null, key = null, count = 0, isBusy = false, isClosed = false;

	const show = ( ...nodes ) => isClosed || replace( root, ...nodes );

	function fail( error, again ) {
		isBusy = false;
		show( notices.failure( error, again, () => given.signIn().then( again, () => {} ) ) );
		notices.focus( root );
	}

	function answers() {
		return h( 'div', { class: 'sidenote-queue__buttons', role: 'group', 'aria-label': msg( 'compare-question' ) },
			ANSWERS.map( ( answer ) => h( 'span', { class: 'sidenote-queue__answer' },
				button( { text: msg( answer[ 2 ] ), props: { onclick: () => prefer( answer[ 1 ] ) } } ),
				h( 'kbd', { 'aria-hidden': 'true', text: answer[ 0 ] } ) ) ),
			button( { text: msg( 'compare-end' ), kind: 'quiet', props: { onclick: given.leave } } ) );
	}

	function draw() {
		show( h( 'article', { class: 'sidenote-queue__one' },
			h( 'p', { class: 'sidenote-queue__progress', text: msg( 'compare-count', count ) } ),
			h( 'h2', { class: 'sidenote-queue__page', tabindex: '-1', text: msg( 'compare-question' ) } ),
			h( 'p', { class: 'sidenote-queue__about' }, bdi( shown.title ) ),
			// Marking unsupported words would reveal which citation is the current one.
			h( 'p', { class: 'sidenote-queue__claim', dir: 'auto', text: shown.claim.text } ),
			h( 'div', { class: 'sidenote-queue__sides' },
				sideOf( shown.first, msg( 'compare-first' ) ),
				sideOf( shown.second, msg( 'compare-second' ) ) ),
			answers() ) );
		notices.focus( root );
	}

	function showEnd() {
		show( notices.notice( {
			title: count ? msg( 'compare-done', count ) : msg( 'compare-none' ),
			lines: [ msg( 'compare-none-why' ) ],
			buttons: [ [ msg( 'queue-to-suggestions' ), given.leave ] ]
		} ) );
		notices.focus( root );
	}

	function start() {
		show( notices.loading( msg( 'compare-loading' ) ) );
		api.comparison().then( ( answer ) => {
			shown = answer;
			key = newKey();
			isBusy = false;
			if ( answer ) {
				draw();
			} else {
				showEnd();
			}
		} ).catch( ( error ) => fail( error, start ) );
	}

	function prefer( which ) {
		if ( isBusy || !shown ) {
			return;
		}
		isBusy = true;
		api.prefer( shown.comparison, which, key ).then( () => {
			count += 1;
			announce( msg( 'compare-kept' ) );
			start();
		} ).catch( ( error ) => {
			const again = shown;
			fail( error, () => {
				shown = again;
				prefer( which );
			} );
		} );
	}

	function keys() {
		const table = { Escape: given.leave };
		ANSWERS.forEach( ( answer ) => {
			table[ answer[ 0 ] ] = () => prefer( answer[ 1 ] );
		} );
		return table;
	}

	return {
		start,
		keys,
		help: () => ANSWERS.map( ( answer ) => [ answer[ 0 ], msg( answer[ 2 ] ) ] )
			.concat( [ [ 'Esc', msg( 'compare-end' ) ] ] ),
		close() {
			isClosed = true;
		}
	};
}

module.exports = { open };
