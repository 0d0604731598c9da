/*!
 * The notes of one answer, the most urgent first: which are shown, which one is being read, and
 * its sentence in the article. Cards are made in slices, the first ones at once.
 */
'use strict';

const cards = require( '../cards/cards.js' );
const { h, empty } = require( '../page/dom.js' );
const { calm } = require( '../article/highlights.js' );
const articleAnchors = require( '../article/anchors.js' );
const { msg } = require( '../page/messages.js' );
const { titleWords } = require( '../cards/verdicts.js' );

const AT_ONCE = 2; // as many as a screen has room for
const SLICE_MS = 6; // of a frame's 16, for making cards
const IDLE_MS = 100; // at most until more cards are made
const MOST_ANNOUNCED = 120;

/**
 * @param {Object} given
 * @param {Object} given.answer of the backend
 * @param {HTMLElement} given.root the article
 * @param {Object} given.frame
 * @param {Object} given.filters
 * @param {Object} given.highlights
 * @param {Function} given.onAction see cards.js
 * @param {string[]} given.menu
 * @param {boolean} given.canWrite
 * @param {Function} [given.diffAddress] see cards.js
 * @return {Object} see the end
 */
function create( given ) {
	const { frame, filters, highlights } = given;
	const indexed = articleAnchors.index( given.root );
	const notes = given.answer.cards.map( ( card ) => ( {
		card, range: articleAnchors.find( indexed, card.claim ), element: null, li: h( 'li', { class: 'sidenote-item' } )
	} ) );
	const list = h( 'ol', { class: 'sidenote-list', 'aria-label': msg( 'notes' ) }, notes.map( ( note ) => note.li ) );
	let current = null, isOver = false;

	const shown = () => notes.filter( ( note ) => filters.shows( note.card ) );
	const noteOf = ( id ) => notes.filter( ( note ) => note.card.id === id )[ 0 ] || null;

	function tell( note, isSeen ) {
		const missing = note.card.claim.text ? 'sentence-missing' : null; // a new fact may have none
		cards.tell( note.element, note.range ? isSeen ? null : 'sentence-folded' : missing );
	}

	function make( note ) {
		note.element = cards.render( note.card, { onAction: given.onAction, menu: given.menu, canWrite: given.canWrite, diffAddress: given.diffAddress } );
		note.element.addEventListener( 'focusin', () => setCurrent( note, true ) );
		tell( note, true );
		empty( note.li ).appendChild( note.element );
	}

	/** Give the browser time to paint, and to respond to the reader. */
	function later( act ) {
		if ( window.requestIdleCallback ) {
			window.requestIdleCallback( act, { timeout: IDLE_MS } );
		} else {
			setTimeout( act, 1 );
		}
	}

	/** What has no card yet, in reading order from the current one. */
	function left() {
		const at = Math.max( notes.indexOf( current ), 0 );
		return notes.slice( at ).concat( notes.slice( 0, at ).reverse() ).filter( ( note ) => !note.element );
	}

	function makeRest() {
		const rest = isOver ? [] : left(), end = performance.now() + SLICE_MS;
		while ( rest.length && performance.now() < end ) {
			make( rest.shift() );
		}
		if ( rest.length ) {
			later( makeRest );
		}
	}

	function paint() {
		highlights.show( shown().filter( ( note ) => note.range ).map( ( note ) => ( { id: note.card.id, range: note.range } ) ) );
	}

	function setCurrent( note, scrolls ) {
		if ( current === note ) {
			return;
		}
		if ( current ) {
			current.li.classList.remove( 'sidenote-item--current' );
		}
		current = note;
		if ( !note ) {
			highlights.focus( null );
		} else {
			if ( !note.element ) {
				make( note );
			}
			note.li.classList.add( 'sidenote-item--current' );
			tell( note, !note.range || highlights.focus( note.card.id, scrolls ) );
			if ( !note.range ) {
				highlights.focus( null );
			}
		}
		setPosition();
	}

	function setPosition() {
		const all = shown();
		frame.setPosition( all.indexOf( current ) + 1, all.length );
	}

	/** Show what passes the filters; the current one stays if possible. */
	function filter() {
		filters.update( notes.map( ( note ) => note.card ) );
		const all = shown();
		notes.forEach( ( note ) => {
			note.li.hidden = !all.includes( note );
		} );
		paint();
		if ( current && !all.includes( current ) ) {
			setCurrent( null );
		}
		if ( !current && all.length ) {
			begin( all );
			left().slice( 0, AT_ONCE ).forEach( make );
		}
		setPosition();
		return all.length;
	}

	/** Begin where the reader is in the article, without scrolling it. */
	function begin( all ) {
		const here = all.filter( ( note ) => note.range && note.range.getBoundingClientRect().bottom > 0 )[ 0 ] || all[ 0 ];
		setCurrent( here, false );
		if ( here !== all[ 0 ] ) {
			here.li.scrollIntoView( { block: 'start' } );
		}
	}

	function focus( note ) {
		if ( !note.element ) {
			make( note );
		}
		setCurrent( note, true );
		note.element.focus( { preventScroll: true } );
		note.li.scrollIntoView( { block: 'nearest', behavior: calm() ? 'auto' : 'smooth' } );
		if ( note.li.getBoundingClientRect().height > frame.scroll.clientHeight ) {
			note.li.scrollIntoView( { block: 'start' } );
		}
	}

	function beside( by ) {
		const all = shown(), at = all.indexOf( current );
		return at < 0 ? all[ 0 ] || null : all[ Math.min( Math.max( at + by, 0 ), all.length - 1 ) ];
	}

	/** To the next one by key: the focus moves, too. */
	function step( by ) {
		const isRead = current && current.element && current.element.contains( document.activeElement );
		const to = isRead || !current ? beside( by ) : current;
		if ( to && to === current && isRead ) {
			frame.say( msg( by > 0 ? 'last-note' : 'first-note' ) );
		} else if ( to ) {
			focus( to );
		}
	}

	/** To the next one by the pager, whose button keeps the focus. */
	function turn( by ) {
		const to = beside( by );
		if ( to && to !== current ) {
			setCurrent( to, true );
			to.li.scrollIntoView( { block: 'start', behavior: calm() ? 'auto' : 'smooth' } );
			const words = to.card.claim.text.slice( 0, MOST_ANNOUNCED );
			const all = shown();
			frame.say( msg( 'turned', all.indexOf( to ) + 1, all.length, titleWords( to.card ), words ) );
		} else if ( to ) {
			frame.say( msg( by > 0 ? 'last-note' : 'first-note' ) );
		}
	}

	/** Replace a card with its changed version. */
	function put( card ) {
		const note = noteOf( card.id );
		if ( note ) {
			note.card = card;
			if ( note.element ) {
				make( note );
			}
		}
		return note;
	}

	later( makeRest );

	return {
		list, filter, step, turn, focus, put, noteOf, shown, indexed,
		all: () => notes,
		/** The current note after `note` is removed: the next one, else the previous. */
		after( note ) {
			const all = shown(), at = all.indexOf( note );
			return all[ at + 1 ] || all[ at - 1 ] || null;
		},
		current: () => current,
		stop() {
			isOver = true;
		}
	};
}

module.exports = { create };
