/*!
 * A button with a menu, following the ARIA practices: arrows move, Escape and a click elsewhere
 * close it, and the focus returns to the button. Only one is open at a time.
 */
'use strict';

const { h, icon, button, newId } = require( '../page/dom.js' );

let open = null;

function step( items, from, key ) {
	const last = items.length - 1;
	const to = { ArrowDown: from === last ? 0 : from + 1, ArrowUp: from <= 0 ? last : from - 1, Home: 0, End: last }[ key ];
	return to === undefined ? null : items[ to ];
}

/**
 * @param {Object} given
 * @param {string} given.name of the button
 * @param {Function} given.entries gives {text, icon, act} each time it is opened; `act` is
 *  given the button
 * @return {HTMLElement}
 */
function create( given ) {
	const id = newId( 'menu' );
	const opener = button( {
		icon: 'menu', name: given.name, kind: 'quiet',
		props: { 'aria-haspopup': 'menu', 'aria-expanded': 'false', 'aria-controls': null }
	} );
	const box = h( 'div', { class: 'sidenote-menu' }, opener );
	let list = null;

	function outside( event ) {
		if ( !box.contains( event.target ) ) {
			close( false );
		}
	}

	function close( returns ) {
		if ( !list ) {
			return;
		}
		open = null;
		list.remove();
		list = null;
		opener.setAttribute( 'aria-expanded', 'false' );
		opener.removeAttribute( 'aria-controls' );
		document.removeEventListener( 'pointerdown', outside, true );
		if ( returns ) {
			opener.focus( { preventScroll: true } );
		}
	}

	function item( entry ) {
		return h( 'button', {
			type: 'button', role: 'menuitem', tabindex: '-1', class: 'sidenote-menu__item', 'aria-haspopup': null,
			onclick: () => {
				close( true );
				entry.act( opener );
			}
		}, icon( entry.icon ), h( 'span', { dir: 'auto' }, entry.text ) );
	}

	function show() {
		if ( open ) {
			open();
		}
		list = h( 'div', { role: 'menu', id, class: 'sidenote-menu__list', 'aria-label': given.name },
			given.entries().map( item ) );
		box.appendChild( list );
		open = () => close( false );
		opener.setAttribute( 'aria-expanded', 'true' );
		opener.setAttribute( 'aria-controls', id );
		document.addEventListener( 'pointerdown', outside, true );
		list.firstChild.focus();
	}

	opener.addEventListener( 'click', () => list ? close( true ) : show() );
	box.addEventListener( 'keydown', ( event ) => {
		if ( !list ) {
			return;
		}
		const items = Array.from( list.children );
		const to = step( items, items.indexOf( document.activeElement ), event.key );
		if ( to ) {
			to.focus();
		} else if ( event.key === 'Escape' ) {
			close( true );
		} else if ( event.key === 'Tab' ) {
			close( true );
			return;
		} else if ( event.key !== 'Enter' && event.key !== ' ' ) {
			return;
		}
		event.stopPropagation();
		if ( event.key !== 'Enter' && event.key !== ' ' ) {
			event.preventDefault();
		}
	} );
	return box;
}

module.exports = { create };
