/*!
 * The panel's frame: what stays while the notes change. On wide screens it is beside the article,
 * which makes room for it; on phones it is a sheet over the bottom of the page.
 */
'use strict';

const { h, button, newId, unseen, icon } = require( '../page/dom.js' );
const { msg, written } = require( '../page/messages.js' );

const NARROW = '(max-width: 719px)';
const BESIDE = 'sidenote-beside', LEFT = 'sidenote-beside--left';
const SIDE_KEY = 'sidenote-side';
const DRAGGED = 60; // px until a drag counts
const COVERED_ABOVE = 56; // px that a skin's own bar may take
const SAY_AFTER_MS = 60;

function handle( sheet ) {
	let from = null, isDragged = false;
	const element = h( 'button', {
		type: 'button', class: 'sidenote-handle', 'aria-expanded': 'false',
		onclick: () => {
			if ( !isDragged ) {
				sheet.toggle();
			}
			isDragged = false;
		},
		onpointerdown: ( event ) => {
			from = event.clientY;
			isDragged = false;
			element.setPointerCapture( event.pointerId );
		},
		onpointermove: ( event ) => {
			if ( from !== null ) {
				sheet.drag( Math.max( event.clientY - from, 0 ) );
			}
		},
		onpointerup: ( event ) => {
			const by = event.clientY - from;
			from = null;
			sheet.drag( 0 );
			isDragged = Math.abs( by ) > DRAGGED;
			if ( isDragged ) {
				sheet.dropped( by > 0 );
			}
		},
		onpointercancel: () => {
			from = null;
			sheet.drag( 0 );
		}
	}, unseen( msg( 'sheet-larger' ) ) );
	return element;
}

/**
 * Make a change that moves an article's lines, and keep the reader at the same line.
 *
 * @param {Element} root
 * @param {Function} change
 */
function inPlace( root, change ) {
	const blocks = Array.from( root.querySelectorAll( 'p, li, tr, h2, h3' ) );
	const read = window.scrollY ? blocks.find( ( each ) => each.getBoundingClientRect().bottom > 0 ) : null;
	const before = read ? read.getBoundingClientRect().top : 0;
	change();
	// Skins that collapse their tabs by available space measure again.
	window.dispatchEvent( new Event( 'resize' ) );
	if ( read ) {
		window.scrollBy( { top: read.getBoundingClientRect().top - before, behavior: 'instant' } );
	}
}

/**
 * @param {Object} given
 * @param {Object} given.mw
 * @param {Element} given.root the article
 * @param {Function} given.onClose
 * @param {Function} given.onHelp
 * @param {Function} [given.onSettings]
 * @param {Function} given.onStep is given -1 or 1
 * @return {Object} element and its places; see the end
 */
function create( given ) {
	const title = newId( 'panel' ), language = written();
	const status = h( 'div', { class: 'sidenote-unseen', role: 'status' } );
	const summary = h( 'p', { class: 'sidenote-summary' } );
	const filters = h( 'div', { class: 'sidenote-filters' } );
	const place = h( 'div', { class: 'sidenote-place' } );
	const warned = h( 'div' );
	const after = h( 'div', { class: 'sidenote-after' } );
	const undo = h( 'div', { class: 'sidenote-undo-place' } );
	const position = h( 'span', { class: 'sidenote-position' } );
	const pager = h( 'div', { class: 'sidenote-pager', role: 'group', 'aria-label': msg( 'pager' ) },
		button( { icon: 'previous', name: msg( 'previous' ), props: { onclick: () => given.onStep( -1 ) } } ),
		position,
		button( { icon: 'next', name: msg( 'next' ), props: { onclick: () => given.onStep( 1 ) } } ) );
	const scroll = h( 'div', { class: 'sidenote-scroll' }, filters, warned, place, after,
		h( 'p', { class: 'sidenote-machine' }, icon( 'robot' ), h( 'span', { text: msg( 'machine-made' ) } ) ) );
	const element = h( 'aside', {
		class: 'sidenote-panel', 'aria-labelledby': title, tabindex: '-1', lang: language.lang, dir: language.dir
	} );

	// The sides are those of the page, whose direction may differ from the panel language's.
	function setSide( side ) {
		const isFromRight = window.getComputedStyle( document.body ).direction === 'rtl';
		const isLeft = isFromRight === ( side === 'end' );
		element.dataset.side = side;
		element.classList.toggle( 'sidenote-panel--left', isLeft );
		document.documentElement.classList.toggle( LEFT, isLeft );
	}

	function leaveRoom() {
		inPlace( given.root, () => document.documentElement.classList.remove( BESIDE, LEFT ) );
	}

	function setFull( isFull ) {
		element.classList.toggle( 'sidenote-panel--full', isFull );
		grip.setAttribute( 'aria-expanded', String( isFull ) );
		grip.firstChild.textContent = msg( isFull ? 'sheet-smaller' : 'sheet-larger' );
	}

	const grip = handle( {
		toggle: () => setFull( !element.classList.contains( 'sidenote-panel--full' ) ),
		drag: ( by ) => {
			element.style.translate = by ? '0 ' + by + 'px' : '';
		},
		dropped: ( isDown ) => {
			if ( isDown && !element.classList.contains( 'sidenote-panel--full' ) ) {
				given.onClose();
			} else {
				setFull( !isDown );
			}
		}
	} );

	function moveAside() {
		const side = element.dataset.side === 'end' ? 'start' : 'end';
		setSide( side );
		given.mw.storage.set( SIDE_KEY, side );
	}

	const head = h( 'header', { class: 'sidenote-head' },
		grip,
		h( 'div', { class: 'sidenote-head__row' },
			h( 'h2', { class: 'sidenote-head__title', id: title, text: msg( 'panel-title' ) } ),
			given.onSettings ? button( { icon: 'settings', name: msg( 'settings' ), kind: 'quiet', props: { onclick: given.onSettings } } ) : null,
			button( { icon: 'side', name: msg( 'other-side' ), kind: 'quiet', props: { class: 'sidenote-wide', onclick: moveAside } } ),
			button( { icon: 'help', name: msg( 'help' ), kind: 'quiet', props: { class: 'sidenote-wide', onclick: given.onHelp } } ),
			button( { icon: 'close', name: msg( 'close' ), kind: 'quiet', props: { onclick: given.onClose } } ) ),
		summary );
	const foot = h( 'footer', { class: 'sidenote-foot sidenote-foot--idle' }, undo, pager );
	element.append( status, head, scroll, foot );
	inPlace( given.root, () => {
		setSide( given.mw.storage.get( SIDE_KEY ) === 'start' ? 'start' : 'end' );
		document.documentElement.classList.add( BESIDE );
	} );

	return {
		element, summary, filters, warned, place, after, undo, scroll, leaveRoom,
		isNarrow: () => window.matchMedia( NARROW ).matches,
		/** @param {string} text for screen readers, also if it is the same again */
		say( text ) {
			status.textContent = '';
			setTimeout( () => {
				status.textContent = text;
			}, SAY_AFTER_MS );
		},
		/**
		 * @param {number} at from 1; 0 if there is none
		 * @param {number} of
		 */
		setPosition( at, of ) {
			foot.classList.toggle( 'sidenote-foot--idle', of < 2 ); // it keeps its space
			position.textContent = at ? msg( 'position', at, of ) : msg( 'position-none', of );
		},
		freeArea() {
			const bottom = this.isNarrow() ? element.getBoundingClientRect().top : window.innerHeight;
			return bottom > COVERED_ABOVE * 2 ? { top: COVERED_ABOVE, bottom } : { top: 0, bottom: window.innerHeight };
		}
	};
}

module.exports = { create };
