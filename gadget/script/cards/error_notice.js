/*!
 * Says in place what failed and what to do: sign in, wait, or try again. The reader gets the one
 * button that helps; the countdown of a busy server is not read out.
 */
'use strict';

const { h, icon, button, replace, empty } = require( '../page/dom.js' );
const { asFailure, explain } = require( '../actions/failure.js' );
const { msg } = require( '../page/messages.js' );

const SECOND_MS = 1000;

/**
 * @param {Object} [given]
 * @param {string} [given.role] of the place; 'alert' by default
 * @return {Object} element, show( error, ways ) and clear()
 */
function create( given ) {
	const element = h( 'div', { class: 'sidenote-trouble', role: given && given.role || 'alert' } );
	let timer = null;

	function clear() {
		clearInterval( timer );
		timer = null;
		empty( element );
	}

	function count( words, failure, again ) {
		let left = failure.retryInS;
		timer = setInterval( () => {
			left -= 1;
			if ( !element.isConnected ) {
				clearInterval( timer );
			} else if ( left > 0 ) {
				words.textContent = explain( failure, left );
			} else {
				clear();
				again();
			}
		}, SECOND_MS );
	}

	/**
	 * @param {Error} error
	 * @param {Object} ways
	 * @param {Function} ways.again tries once more
	 * @param {Function} [ways.signIn] lets the reader sign in, and then tries once more
	 */
	function show( error, ways ) {
		const failure = asFailure( error );
		const needsName = failure.kind === 'signed-out' && ways.signIn;
		const isBusy = failure.kind === 'busy' && failure.retryInS;
		const words = h( 'span', { 'aria-live': isBusy ? 'off' : null, text: needsName ? msg( 'sign-in-why' ) : explain( failure ) } );
		clear();
		const helps = button( {
			text: msg( needsName ? 'sign-in' : 'try-again' ),
			props: { onclick: () => {
				clear();
				( needsName ? ways.signIn : ways.again )();
			} }
		} );
		replace( element,
			icon( failure.kind === 'offline' ? 'offline' : needsName ? 'info' : 'not-supported' ), words, helps );
		if ( isBusy ) {
			count( words, failure, ways.again );
		}
	}

	return { element, show, clear, focus: () => element.querySelector( 'button' ).focus() };
}

module.exports = { create };
