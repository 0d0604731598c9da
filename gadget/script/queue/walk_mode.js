/*!
 * Walks through the reader's suggestions one at a time. The cards are the panel's own; the keys
 * press their buttons, so a key never does anything without a button. Decisions can be undone, and
 * the walk continues by itself.
 */
'use strict';

const cards = require( '../cards/cards.js' );
const { button, h, replace } = require( '../page/dom.js' );
const { msg } = require( '../page/messages.js' );
const notices = require( './queue_notices.js' );
const piles = require( './queue_pile.js' );
const place = require( './queue_place.js' );

const DONE = {
	accept: 'queue-accepted', dismiss: 'queue-dismissed', 'wrong verdict': 'queue-corrected',
	compared: 'queue-compared'
};
const MOST_ANSWERS = 9;

/**
 * @param {Object} given
 * @param {Object} given.mw
 * @param {Object} given.api
 * @param {Object} given.actions
 * @param {string} given.here the wiki that the reader is on
 * @param {Element} given.root what it may fill
 * @param {Function} given.announce is given words for screen readers
 * @param {Function} given.signIn gives a promise
 * @param {Function} given.restart begins all over
 * @param {boolean} [given.isQuick] whether each reason to dismiss a card has a key of its own
 * @param {string[]} [given.nothing] what is said where there is nothing: a title, and why
 * @return {Object} start(), keys(), help, close()
 */
function open( given ) {
	const { mw, actions, root, announce } = given;
	const pile = piles.create( given.api );
	const decided = [];
	let isBusy = false, isClosed = false;

	const show = ( ...nodes ) => isClosed || replace( root, ...nodes );

	function fail( error, again ) {
		isBusy = false;
		show( notices.failure( error, again, () => given.signIn().then( again, () => {} ) ) );
		notices.focus( root );
	}

	function showEnd() {
		const isEmpty = pile.total() === 0;
		const title = isEmpty ? given.nothing ? given.nothing[ 0 ] : msg( 'queue-empty' ) : msg( 'queue-done', pile.total() );
		const again = [ msg( 'queue-look-again' ), given.restart ];
		show( notices.notice( isEmpty ? {
			title, buttons: [ again ], lines: [ given.nothing ? given.nothing[ 1 ] : msg( 'queue-empty-why' ), notices.howToFollow() ]
		} : {
			title, buttons: [ again, [ msg( 'queue-previous' ), previous ] ],
			lines: [ msg( 'queue-done-decided', decided.length ) ]
		} ) );
	}

	function showCard( card ) {
		const former = button( { icon: 'previous', text: msg( 'queue-previous' ), props: { onclick: previous } } );
		former.disabled = pile.isFirst();
		show( h( 'div', { class: 'sidenote-queue__one' },
			place.progress( pile ),
			place.show( { mw, here: given.here, card } ),
			cards.render( card, {
				onAction: perform, canWrite: actions.canWrite, diffAddress: actions.diffAddress, isQuick: given.isQuick
			} ),
			h( 'nav', { class: 'sidenote-queue__buttons', 'aria-label': msg( 'queue-steps' ) },
				former, button( { icon: 'next', text: msg( 'queue-next' ), props: { onclick: next } } ) ) ) );
	}

	function arrive() {
		if ( isClosed ) {
			return;
		}
		if ( pile.card() ) {
			showCard( pile.card() );
		} else {
			showEnd();
		}
		notices.focus( root );
	}

	function next() {
		if ( isBusy || !pile.card() ) {
			return;
		}
		isBusy = true;
		pile.forth().then( () => {
			isBusy = false;
			arrive();
		} ).catch( ( error ) => fail( error, again ) );
	}

	// The missing part is requested again from where the reader was.
	function again() {
		pile.back();
		arrive();
		next();
	}

	function previous() {
		if ( !isBusy && !pile.isFirst() ) {
			pile.back();
			arrive();
		}
	}

	function noteDecision( card, decision ) {
		card.mine = decision;
		if ( !decided.includes( card ) ) {
			decided.push( card );
		}
		announce( msg( DONE[ decision.kind ] || 'queue-accepted' ) );
		if ( pile.card() === card ) {
			next();
		}
	}

	function noteUndone( card ) {
		card.mine = null;
		decided.splice( 0, decided.length, ...decided.filter( ( each ) => each !== card ) );
		pile.goTo( card );
		arrive();
		announce( msg( 'queue-undone' ) );
	}

	// What a card announces; the card itself shows what is in progress and what failed.
	function perform( name, card, detail ) {
		const settle = ( decision ) => noteDecision( card, decision );
		switch ( name ) {
			case 'accept':
				return actions.accept( card ).then( settle );
			case 'dismiss':
				return actions.dismiss( card, detail ).then( settle );
			case 'wrong':
				return actions.wrong( card, detail ).then( settle );
			case 'compared':
				return actions.compared( card, detail ).then( settle );
			case 'undo':
				return actions.undo( detail ).then( () => noteUndone( card ) );
			case 'edit':
				return actions.edit( card, detail, { inNewTab: true } );
			case 'open-undo':
				return actions.openUndo( card, detail );
			case 'copy':
				return actions.copy( detail );
			case 'sign-in':
				return given.signIn();
			default:
				return undefined;
		}
	}

	// --- keys ------------------------------------------------------------------------

	function press( text ) {
		const found = Array.from( root.querySelectorAll( '.sidenote-acts button' ) )
			.filter( ( each ) => each.textContent === text )[ 0 ];
		if ( found ) {
			found.click();
		}
		return !!found;
	}

	function pressAnswer( index ) {
		const answers = root.querySelectorAll( '.sidenote-ask > button' );
		// The last one goes back.
		if ( index < answers.length - 1 ) {
			answers[ index ].click();
		}
	}

	function undoLast() {
		const card = pile.card() && pile.card().mine ? pile.card() : decided[ decided.length - 1 ];
		if ( !card ) {
			announce( msg( 'queue-nothing-to-undo' ) );
		} else if ( pile.card() === card ) {
			press( msg( 'undo' ) );
		} else if ( !isBusy ) {
			isBusy = true;
			actions.undo( card.mine.id ).then( () => {
				isBusy = false;
				noteUndone( card );
			} ).catch( ( error ) => fail( error, () => {
				arrive();
				undoLast();
			} ) );
		}
	}

	function edit() {
		const best = root.querySelector( '.sidenote-edit' );
		if ( best ) {
			best.click();
		} else {
			mw.notify( msg( 'queue-no-edit' ) );
		}
	}

	function keys() {
		const table = { p: previous, u: undoLast };
		if ( pile.card() ) {
			Object.assign( table, {
				n: next, a: () => press( msg( 'accept' ) ), d: () => press( msg( 'dismiss' ) ), e: edit
			} );
		}
		if ( root.querySelector( '.sidenote-ask' ) ) {
			for ( let digit = 1; digit <= MOST_ANSWERS; digit++ ) {
				table[ digit ] = () => pressAnswer( digit - 1 );
			}
		}
		root.querySelectorAll( '[data-key]' ).forEach( ( each ) => {
			table[ each.getAttribute( 'data-key' ) ] = () => each.click();
		} );
		return table;
	}

	function start() {
		show( notices.loading( msg( 'queue-loading' ) ) );
		pile.begin().then( arrive ).catch( ( error ) => fail( error, start ) );
	}

	return {
		start,
		keys,
		help: () => [
			[ 'n', msg( 'queue-next' ) ], [ 'p', msg( 'queue-previous' ) ], [ 'a', msg( 'accept' ) ],
			[ 'd', msg( 'dismiss' ) ], [ '1–9', msg( 'queue-key-answer' ) ],
			[ 'e', msg( 'queue-key-edit' ) ], [ 'u', msg( 'undo' ) ]
		],
		close() {
			isClosed = true;
		}
	};
}

module.exports = { open };
