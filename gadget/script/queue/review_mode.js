/*!
 * Judges suggestions for the evaluation: whether one would be accepted as it is, with changes, or
 * not at all, and what is wrong with it. The outcomes are those of WiNELL's study with editors
 * (Gangi Reddy et al. 2025). Nothing is decided here: the suggestion stays where it is.
 */
'use strict';

const cards = require( '../cards/cards.js' );
const { button, h, replace } = require( '../page/dom.js' );
const { newKey } = require( '../actions/api.js' );
const { msg } = require( '../page/messages.js' );
const notices = require( './queue_notices.js' );
const piles = require( './queue_pile.js' );
const place = require( './queue_place.js' );

const OUTCOMES = [
	[ 'a', 'accept', 'review-accept' ],
	[ 'c', 'accept with changes', 'review-changes' ],
	[ 'r', 'reject', 'review-reject' ]
];
const ERRORS = [
	[ 'not said by its source', 'review-unsupported' ],
	[ 'no longer true', 'review-out-of-date' ],
	[ 'belongs elsewhere', 'review-misplaced' ],
	[ 'not worth a reader\'s time', 'review-trivial' ],
	[ 'said already', 'review-duplicate' ],
	[ 'source cannot be relied on', 'review-unreliable' ],
	[ 'badly worded', 'review-wording' ],
	[ 'other', 'review-other' ]
];

function ticked( type, name, value, text, key ) {
	const input = h( 'input', { type } );
	input.name = name;
	input.value = value;
	return h( 'label', { class: 'sidenote-queue__choice' }, input, ' ', h( 'span', { text } ),
		h( 'kbd', { 'aria-hidden': 'true', text: key } ) );
}

/**
 * @param {Object} given mw, api, here, root, announce( text ), signIn(), leave()
 * @return {Object} start(), keys(), help(), close()
 */
function open( given ) {
	const { mw, api, root, announce } = given;
	const pile = piles.create( api );
	let form = null, key = null, count = 0, isBusy = false, isClosed = false;

	const show = ( ...nodes ) => isClosed || replace( root, ...nodes );
	const chosen = ( name ) => Array.from( form.querySelectorAll( 'input[name="' + name + '"]:checked' ) )
		.map( ( input ) => input.value );

	function fail( error, again ) {
		isBusy = false;
		const notice = notices.failure( error, again, () => given.signIn().then( again, () => {} ) );
		const slot = root.querySelector( '.sidenote-queue__trouble' );
		if ( slot ) {
			replace( slot, notice );
		} else {
			show( notice );
		}
		notices.focus( notice );
	}

	function update() {
		const outcome = chosen( 'outcome' )[ 0 ];
		form.querySelector( '.sidenote-queue__errors' ).hidden = !outcome || outcome === 'accept';
	}

	function makeForm() {
		const send = button( { text: msg( 'review-send' ), kind: 'primary', props: { type: 'submit' } } );
		const made = h( 'form', { class: 'sidenote-queue__review', onchange: update },
			h( 'fieldset', {}, h( 'legend', { text: msg( 'review-question' ) } ),
				OUTCOMES.map( ( each ) => ticked( 'radio', 'outcome', each[ 1 ], msg( each[ 2 ] ), each[ 0 ] ) ) ),
			h( 'fieldset', { class: 'sidenote-queue__errors', hidden: true },
				h( 'legend', { text: msg( 'review-errors' ) } ),
				ERRORS.map( ( each, index ) => ticked( 'checkbox', 'error', each[ 0 ], msg( each[ 1 ] ), String( index + 1 ) ) ) ),
			h( 'div', { class: 'sidenote-queue__trouble' } ),
			h( 'div', { class: 'sidenote-queue__buttons' }, send,
				button( { text: msg( 'review-skip' ), props: { onclick: next } } ),
				button( { text: msg( 'compare-end' ), kind: 'quiet', props: { onclick: given.leave } } ) ) );
		made.addEventListener( 'submit', ( event ) => {
			event.preventDefault();
			judge();
		} );
		return made;
	}

	function shownCard( card ) {
		// It is judged here, not acted on.
		const element = cards.render( card, { onAction: () => undefined } );
		element.querySelectorAll( '.sidenote-acts, .sidenote-menu, .sidenote-remedy button' )
			.forEach( ( each ) => each.remove() );
		return element;
	}

	function draw( card ) {
		form = makeForm();
		key = newKey();
		show( h( 'div', { class: 'sidenote-queue__one' },
			place.progress( pile ),
			place.show( { mw, here: given.here, card } ),
			shownCard( card ),
			form ) );
	}

	function showEnd() {
		form = null;
		show( notices.notice( {
			title: count ? msg( 'review-done', count ) : msg( 'review-none' ),
			lines: count ? [] : [ notices.howToFollow() ],
			buttons: [ [ msg( 'queue-to-suggestions' ), given.leave ] ]
		} ) );
	}

	function arrive() {
		if ( isClosed ) {
			return;
		}
		isBusy = false;
		if ( pile.card() ) {
			draw( pile.card() );
		} else {
			showEnd();
		}
		notices.focus( root );
	}

	function next() {
		if ( !isBusy && pile.card() ) {
			isBusy = true;
			pile.forth().then( arrive ).catch( ( error ) => {
				pile.back();
				fail( error, next );
			} );
		}
	}

	function judge() {
		const outcome = chosen( 'outcome' )[ 0 ];
		if ( isBusy ) {
			return;
		}
		if ( !outcome ) {
			announce( msg( 'review-choose' ) );
			form.querySelector( 'input' ).focus();
			return;
		}
		const card = pile.card();
		isBusy = true;
		api.review( {
			wiki: card.wiki, identity: card.id, outcome, errors: outcome === 'accept' ? [] : chosen( 'error' )
		}, key ).then( () => {
			count += 1;
			isBusy = false;
			announce( msg( 'compare-kept' ) );
			next();
		} ).catch( ( error ) => fail( error, judge ) );
	}

	function tick( name, index ) {
		const input = form.querySelectorAll( 'input[name="' + name + '"]' )[ index ];
		if ( !input.closest( '[hidden]' ) ) {
			input.click();
			input.focus();
		}
	}

	function keys() {
		const table = { Escape: given.leave };
		if ( form ) {
			table.n = next;
			table.s = judge;
			OUTCOMES.forEach( ( each, index ) => {
				table[ each[ 0 ] ] = () => tick( 'outcome', index );
			} );
			ERRORS.forEach( ( each, index ) => {
				table[ index + 1 ] = () => tick( 'error', index );
			} );
		}
		return table;
	}

	function start() {
		show( notices.loading( msg( 'queue-loading' ) ) );
		pile.begin().then( arrive ).catch( ( error ) => fail( error, start ) );
	}

	return {
		start,
		keys,
		help: () => OUTCOMES.map( ( each ) => [ each[ 0 ], msg( each[ 2 ] ) ] ).concat( [
			[ '1–8', msg( 'review-errors' ) ], [ 's', msg( 'review-send' ) ], [ 'n', msg( 'review-skip' ) ],
			[ 'Esc', msg( 'compare-end' ) ]
		] ),
		close() {
			isClosed = true;
		}
	};
}

module.exports = { open };
