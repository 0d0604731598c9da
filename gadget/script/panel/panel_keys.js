/*!
 * Single keys, only while the focus is in the panel and never with a modifier or in a
 * field, so that they take nothing from the wiki or from a screen reader.
 */
'use strict';

const dialog = require( '../page/dialog.js' );
const { h } = require( '../page/dom.js' );
const { msg } = require( '../page/messages.js' );

const FIELD = 'input, textarea, select, [contenteditable=""], [contenteditable="true"]';
const OWN_ENTER = 'a, button, summary';

/**
 * @param {HTMLElement} element
 * @param {Object} acts next, previous, primary, undo, help, close; each a function
 */
function listen( element, acts ) {
	const keys = { n: acts.next, p: acts.previous, u: acts.undo, '?': acts.help, Escape: acts.close };
	element.addEventListener( 'keydown', ( event ) => {
		if ( event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey ||
			event.target.closest( FIELD ) ) {
			return;
		}
		if ( event.key === 'Enter' && !event.target.closest( OWN_ENTER ) ) {
			event.preventDefault();
			acts.primary();
		} else if ( Object.prototype.hasOwnProperty.call( keys, event.key ) && ( event.key === '?' || !event.shiftKey ) ) {
			event.preventDefault();
			event.stopPropagation();
			keys[ event.key ]();
		}
	} );
}

/** Show what the keys do. */
function help() {
	const rows = [
		[ 'n', msg( 'key-next' ) ], [ 'p', msg( 'key-previous' ) ], [ 'Enter', msg( 'key-primary' ) ],
		[ 'u', msg( 'key-undo' ) ], [ 'Esc', msg( 'key-close' ) ], [ '?', msg( 'key-help' ) ]
	];
	dialog.open( { title: msg( 'help' ) } ).show(
		h( 'dl', { class: 'sidenote-keys' }, rows.map( ( row ) => h( 'div', null,
			h( 'dt', null, h( 'kbd', { text: row[ 0 ] } ) ), h( 'dd', { text: row[ 1 ] } ) ) ) ),
		h( 'p', { text: msg( 'help-where' ) } )
	);
}

module.exports = { listen, help };
