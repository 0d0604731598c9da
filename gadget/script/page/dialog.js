/*!
 * A small dialog based on the browser's own element, which keeps the focus inside, closes on Escape
 * and returns the focus.
 */
'use strict';

const { button, h, newId } = require( './dom.js' );
const messages = require( './messages.js' );

/**
 * @param {Object} given
 * @param {string} given.title
 * @param {Function} [given.onClose] called once, however it was closed
 * @return {Object} show( ...nodes ), close(), element
 */
function open( given ) {
	const id = newId( 'dialog' );
	const before = document.activeElement;
	const body = h( 'div', { class: 'sidenote-dialog__body' } );
	const close = button( { icon: 'close', name: messages.msg( 'dialog-close' ), kind: 'quiet' } );
	const element = h( 'dialog', { class: 'sidenote-dialog', 'aria-labelledby': id },
		h( 'header', { class: 'sidenote-dialog__head' },
			h( 'h2', { class: 'sidenote-dialog__title', id, text: given.title } ),
			close ),
		body );
	let isOpen = true;

	function end() {
		if ( !isOpen ) {
			return;
		}
		isOpen = false;
		element.remove();
		if ( before && before.isConnected ) {
			before.focus();
		}
		if ( given.onClose ) {
			given.onClose();
		}
	}

	close.addEventListener( 'click', () => element.close() );
	element.addEventListener( 'close', end );
	// Keys are not meant for the page behind it.
	element.addEventListener( 'keydown', ( event ) => event.stopPropagation() );
	document.body.appendChild( element );
	element.showModal();

	return {
		element,
		/** @param {...Node} nodes what it holds from now on; its first control is focused */
		show( ...nodes ) {
			body.replaceChildren( ...nodes.filter( ( node ) => node ) );
			const first = body.querySelector( 'button, a[href], input' );
			( first || close ).focus();
		},
		close() {
			if ( isOpen ) {
				element.close();
				end();
			}
		}
	};
}

module.exports = { open };
