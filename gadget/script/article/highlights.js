/*!
 * Marks the notes' sentences in the article without touching it: the browser paints the ranges (CSS
 * Custom Highlight API), so nothing moves and no other script is disturbed. If a browser cannot,
 * boxes that let clicks through cover the words.
 */
'use strict';

const { h, empty } = require( '../page/dom.js' );

const ALL = 'sidenote', ONE = 'sidenote-focus';
const MOST_BOXES = 400;
const LINKS = 'a[href], button, summary, input, select, textarea, label';
const FOLDED = 'details:not([open]), .collapsible-block:not(.collapsible-block--open):not(.open-block)';

function hasApi() {
	return typeof CSS !== 'undefined' && Boolean( CSS.highlights ) && typeof Highlight === 'function';
}

/**
 * Expand what a sentence is collapsed in, if it is known how.
 *
 * @param {Range} range
 * @return {boolean} whether the sentence can be seen now
 */
function reveal( range ) {
	let element = range.startContainer.parentElement;
	for ( element = element && element.closest( FOLDED ); element; element = element.parentElement && element.parentElement.closest( FOLDED ) ) {
		if ( element.nodeName === 'DETAILS' ) {
			element.open = true;
		} else if ( element.previousElementSibling && !range.getClientRects().length ) {
			element.previousElementSibling.click(); // the heading of a section, on phones
		}
	}
	return range.getClientRects().length > 0;
}

function calm() {
	return window.matchMedia( '(prefers-reduced-motion: reduce)' ).matches;
}

/**
 * @param {Object} given
 * @param {Function} given.freeArea tells {top, bottom} of the window that nothing covers
 * @param {Function} given.onClick is given the id of the sentence that was clicked
 * @return {Object} see the functions at the end
 */
function create( given ) {
	const isPainted = hasApi();
	const layer = isPainted ? null : h( 'div', { class: 'sidenote-boxes', 'aria-hidden': 'true' } );
	let items = [], focused = null;

	function boxes( ranges, name ) {
		ranges.forEach( ( range ) => {
			Array.from( range.getClientRects() ).slice( 0, MOST_BOXES ).forEach( ( rect ) => {
				const box = h( 'div', { class: name } );
				box.style.left = rect.left + window.scrollX + 'px';
				box.style.top = rect.top + window.scrollY + 'px';
				box.style.width = rect.width + 'px';
				box.style.height = rect.height + 'px';
				layer.appendChild( box );
			} );
		} );
	}

	function paint() {
		const one = items.filter( ( item ) => item.id === focused ).map( ( item ) => item.range );
		const others = items.filter( ( item ) => item.id !== focused ).map( ( item ) => item.range );
		if ( isPainted ) {
			CSS.highlights.set( ALL, new Highlight( ...others ) );
			const strong = new Highlight( ...one );
			strong.priority = 1;
			CSS.highlights.set( ONE, strong );
			return;
		}
		empty( layer );
		boxes( others, 'sidenote-box' );
		boxes( one, 'sidenote-box sidenote-box--focus' );
	}

	function pointOf( event ) {
		if ( document.caretPositionFromPoint ) {
			const at = document.caretPositionFromPoint( event.clientX, event.clientY );
			return at && [ at.offsetNode, at.offset ];
		}
		const range = document.caretRangeFromPoint && document.caretRangeFromPoint( event.clientX, event.clientY );
		return range && [ range.startContainer, range.startOffset ];
	}

	function clicked( event ) {
		const isOther = event.defaultPrevented || event.button || event.target.closest( LINKS ) ||
			!window.getSelection().isCollapsed;
		const point = isOther ? null : pointOf( event );
		const hit = point && items.filter( ( item ) => item.range.isPointInRange( point[ 0 ], point[ 1 ] ) )[ 0 ];
		if ( hit ) {
			given.onClick( hit.id );
		}
	}

	/** Scroll a sentence to the middle of the area that the panel leaves free. */
	function scrollTo( range ) {
		const rect = range.getBoundingClientRect(), free = given.freeArea();
		const room = free.bottom - free.top;
		if ( rect.top >= free.top + room * 0.1 && rect.bottom <= free.bottom - room * 0.1 ) {
			return; // it is visible already
		}
		const by = rect.top + Math.min( rect.height, room ) / 2 - ( free.top + room / 2 );
		window.scrollBy( { top: by, behavior: calm() ? 'auto' : 'smooth' } );
	}

	if ( layer ) {
		document.body.appendChild( layer );
		window.addEventListener( 'resize', paint );
	}
	document.addEventListener( 'click', clicked );

	return {
		/** @param {Array} shown of {id, range} */
		show( shown ) {
			items = shown;
			paint();
		},
		/**
		 * @param {string|null} id
		 * @param {boolean} [scrolls]
		 * @return {boolean} whether its sentence can be seen
		 */
		focus( id, scrolls ) {
			const item = items.filter( ( each ) => each.id === id )[ 0 ];
			focused = item ? id : null;
			const isSeen = Boolean( item ) && reveal( item.range );
			paint();
			if ( isSeen && scrolls ) {
				scrollTo( item.range );
			}
			return isSeen;
		},
		clear() {
			items = [];
			focused = null;
			if ( isPainted ) {
				CSS.highlights.delete( ALL );
				CSS.highlights.delete( ONE );
			} else {
				layer.remove();
				window.removeEventListener( 'resize', paint );
			}
			document.removeEventListener( 'click', clicked );
		}
	};
}

module.exports = { create, calm };
