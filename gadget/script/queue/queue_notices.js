/*!
 * What a page shows in place of a card: that it is loading, empty, done or failed; always with what
 * the reader can do now.
 */
'use strict';

const config = require( './config.js' );
const dom = require( '../page/dom.js' );
const { asFailure, explain } = require( '../actions/failure.js' );
const { msg } = require( '../page/messages.js' );

const { h } = dom;

function button( text, onclick, isPrimary ) {
	return dom.button( { text, kind: isPrimary ? 'primary' : null, props: { onclick } } );
}

/**
 * @param {string} text
 * @return {Element}
 */
function loading( text ) {
	return h( 'div', { class: 'sidenote-queue__notice', role: 'status' },
		h( 'div', { class: 'sidenote-queue__bar', 'aria-hidden': 'true' } ),
		h( 'p', { text } ) );
}

/**
 * @param {Object} given title, lines, and buttons as [ text, onclick ], the first the main one
 * @return {Element}
 */
function notice( given ) {
	return h( 'section', { class: 'sidenote-queue__notice' },
		h( 'h2', { class: 'sidenote-queue__notice-title', tabindex: '-1', text: given.title } ),
		...( given.lines || [] ).map( ( text ) => h( 'p', { text } ) ),
		h( 'p', { class: 'sidenote-queue__buttons' },
			...( given.buttons || [] ).map( ( each, index ) => button( each[ 0 ], each[ 1 ], index === 0 ) ) ) );
}

/**
 * Say what went wrong. If the server said when to try again, the seconds count down and the button
 * waits; if the network is down, it tries again when it returns.
 *
 * @param {Error} error
 * @param {Function} again
 * @param {Function} signIn
 * @return {Element}
 */
function failure( error, again, signIn ) {
	const failed = asFailure( error );
	const isSignedOut = failed.kind === 'signed-out';
	const words = h( 'span', { text: explain( failed ) } );
	const go = button(
		isSignedOut ? msg( 'sign-in' ) : msg( 'try-again' ), isSignedOut ? signIn : again, true
	);
	go.classList.add( 'sidenote-queue__go' );
	const element = h( 'div', { class: 'sidenote-queue__failure cdx-message cdx-message--block cdx-message--error', role: 'alert' },
		h( 'span', { class: 'cdx-message__icon' } ),
		h( 'div', { class: 'cdx-message__content' }, h( 'p', {}, words ), go ) );

	let leftS = failed.retryInS || 0;
	function tick() {
		go.disabled = leftS > 0;
		words.textContent = leftS > 0 ? explain( failed, leftS ) : explain( failed, 0 );
		if ( leftS > 0 && ( element.isConnected || leftS === failed.retryInS ) ) {
			leftS -= 1;
			setTimeout( tick, 1000 );
		}
	}
	if ( leftS ) {
		// Otherwise every second would be read out; the first is enough.
		words.setAttribute( 'aria-live', 'off' );
		tick();
	}
	if ( failed.kind === 'offline' ) {
		window.addEventListener( 'online', () => element.isConnected && again(), { once: true } );
	}
	return element;
}

/**
 * @return {string} how pages are followed
 */
function howToFollow() {
	return msg( 'queue-empty-do', '{{User:' + config.bot + '/watch |pages=…}}' );
}

/**
 * @param {Element} root
 */
function focus( root ) {
	const first = root.querySelector( '[tabindex="-1"], .sidenote-queue__failure button:not(:disabled)' );
	if ( first ) {
		first.focus();
	}
}

module.exports = { button, loading, notice, failure, howToFollow, focus };
