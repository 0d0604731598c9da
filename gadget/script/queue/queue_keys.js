/*!
 * Single keys for working through a page: none with a modifier, none in a field, none while a
 * dialog is open. Readers can switch them off permanently.
 */
'use strict';

const KEPT = 'sidenote-keys-off';
const FIELDS = 'input:not([type="radio"]):not([type="checkbox"]):not([type="button"]), textarea, select, [contenteditable]:not([contenteditable="false"])';

/**
 * @param {KeyboardEvent} event
 * @return {string} the letter that stands on a Latin keyboard there, where another
 *  script is written
 */
function keyOf( event ) {
	if ( event.key.length > 1 || /^[ -~]$/.test( event.key ) ) {
		return event.key.length > 1 ? event.key : event.key.toLowerCase();
	}
	const code = /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec( event.code || '' );
	return code ? code[ 1 ].toLowerCase() : event.key;
}

function isMeant( event ) {
	const target = event.target;
	return !event.defaultPrevented && !event.isComposing &&
		!event.ctrlKey && !event.altKey && !event.metaKey &&
		!( target instanceof Element && target.closest( FIELDS ) ) &&
		!document.querySelector( 'dialog[open]' );
}

/**
 * @param {Object} mw
 * @param {Function} table gives what each key does now: { n() {…}, … }
 * @return {Object} stop(), isOff(), setOff( boolean )
 */
function listen( mw, table ) {
	function pressed( event ) {
		if ( !isMeant( event ) || mw.storage.get( KEPT ) === '1' ) {
			return;
		}
		const key = keyOf( event );
		const keys = table();
		if ( Object.prototype.hasOwnProperty.call( keys, key ) ) {
			event.preventDefault();
			if ( !event.repeat ) {
				keys[ key ]();
			}
		}
	}
	document.addEventListener( 'keydown', pressed );
	return {
		stop: () => document.removeEventListener( 'keydown', pressed ),
		isOff: () => mw.storage.get( KEPT ) === '1',
		setOff: ( isOff ) => isOff ? mw.storage.set( KEPT, '1' ) : mw.storage.remove( KEPT )
	};
}

module.exports = { listen };
