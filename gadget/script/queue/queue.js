/*!
 * The review queue: all suggestions of the pages that a reader follows, one at a time and by
 * keyboard. It is on Special:BlankPage/sidenote of a wiki and on the backend's own page. Holds its
 * four ways of working, who is signed in, and the help.
 */
'use strict';

const attempts = require( '../actions/attempts.js' );
const compareMode = require( './compare_mode.js' );
const editsMode = require( './edits_mode.js' );
const dialog = require( '../page/dialog.js' );
const { bdi, button, h, replace } = require( '../page/dom.js' );
const { msg } = require( '../page/messages.js' );
const notices = require( './queue_notices.js' );
const walkMode = require( './walk_mode.js' );
const reviewMode = require( './review_mode.js' );

const MODES = [
	[ 'walk', 'queue-mode-walk', walkMode ],
	[ 'edits', 'queue-mode-edits', editsMode ],
	[ 'compare', 'queue-mode-compare', compareMode ],
	[ 'review', 'queue-mode-review', reviewMode ]
];
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
 * Listen for single keys: none with a modifier, none in a field, none while a dialog is open. Readers
 * can switch them off permanently.
 *
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

/**
 * @param {Object} given
 * @param {Object} given.mw
 * @param {Element} given.root what it may fill
 * @param {Object} given.api
 * @param {Object} given.identity
 * @param {Object} given.actions of actions.js, without a page
 * @param {string} [given.wiki] that the reader is on
 * @return {Object} close()
 */
function open( given ) {
	const { mw, api, identity, actions } = given;
	const live = h( 'div', { class: 'sidenote-unseen', role: 'status' } );
	const place = h( 'div', { class: 'sidenote-queue__content' } );
	const modes = h( 'div', { class: 'sidenote-queue__modes', role: 'group', 'aria-label': msg( 'queue-modes' ) } );
	const who = h( 'p', { class: 'sidenote-queue__who' } );
	const warned = h( 'div' );
	const root = h( 'div', { class: 'sidenote-queue' },
		h( 'div', { class: 'sidenote-queue__head' },
			modes, who,
			button( { icon: 'help', text: msg( 'queue-help' ), kind: 'quiet', props: { class: 'sidenote-queue__help', onclick: help } } ) ),
		live, warned, place );
	let current = null, mode = 'walk';

	function announce( text ) {
		// Repeated words are announced only if the element was emptied first.
		live.textContent = '';
		setTimeout( () => {
			live.textContent = text;
		}, 50 );
	}

	// `changed` is called when the signed-in reader changes.
	function signIn() {
		identity.signIn().catch( ( error ) => {
			if ( error.code !== 'cancelled' ) {
				replace( place, notices.failure( error, start, signIn ) );
			}
		} );
	}

	function showSignedOut() {
		replace( place, notices.notice( {
			title: msg( 'queue-signed-out' ),
			lines: [ msg( 'queue-signed-out-why' ) ],
			buttons: [ [ msg( 'sign-in' ), signIn ] ]
		} ) );
		notices.focus( place );
	}

	function drawHead() {
		replace( modes, ...MODES.map( ( each ) => button( {
			text: msg( each[ 1 ] ),
			props: { 'aria-pressed': String( each[ 0 ] === mode ), onclick: () => go( each[ 0 ] ) }
		} ) ) );
		const user = identity.user();
		modes.hidden = !user;
		replace( who, ...( user ? [
			msg( 'queue-signed-in' ), ' ', bdi( user ), ' ',
			button( { text: msg( 'sign-out' ), kind: 'quiet', props: { onclick: () => identity.signOut().then( start ) } } )
		] : [] ) );
	}

	function start() {
		if ( current ) {
			current.close();
			current = null;
		}
		drawHead();
		if ( identity.token() === null ) {
			replace( warned );
			showSignedOut();
			return;
		}
		attempts.watch( identity, warned );
		current = MODES.filter( ( each ) => each[ 0 ] === mode )[ 0 ][ 2 ].open( {
			mw, api, actions, announce, root: place, here: given.wiki || location.host,
			signIn: () => identity.signIn(), restart: start, leave: () => go( 'walk' )
		} );
		current.start();
	}

	function go( which ) {
		mode = which;
		start();
	}

	function help() {
		const rows = ( current ? current.help() : [] ).concat( [ [ '?', msg( 'queue-help' ) ] ] );
		const off = h( 'input', { type: 'checkbox', onchange: () => keys.setOff( off.checked ) } );
		off.checked = keys.isOff();
		dialog.open( { title: msg( 'queue-help' ) } ).show(
			h( 'dl', { class: 'sidenote-queue__keys' }, rows.map( ( row ) => h( 'div', {},
				h( 'dt', {}, h( 'kbd', { text: row[ 0 ] } ) ), h( 'dd', { text: row[ 1 ] } ) ) ) ),
			h( 'label', { class: 'sidenote-queue__choice' }, off, ' ', h( 'span', { text: msg( 'queue-keys-off' ) } ) )
		);
	}

	const keys = listen( mw, () => Object.assign( { '?': help }, current ? current.keys() : {} ) );
	let knownUser = identity.user(), isClosed = false;
	// A reader whose token expired and who signs in again continues where they were.
	identity.onChange( ( user ) => {
		if ( isClosed ) {
			return;
		}
		const isOther = user !== null && ( !current || user !== knownUser );
		knownUser = user || knownUser;
		if ( isOther ) {
			start();
		} else {
			drawHead();
		}
	} );

	replace( given.root, root );
	start();
	return {
		close() {
			isClosed = true;
			keys.stop();
			if ( current ) {
				current.close();
			}
			root.remove();
		}
	};
}

module.exports = { open };
