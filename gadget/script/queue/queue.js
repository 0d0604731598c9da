/*!
 * The review queue: all suggestions of the pages that a reader follows, one at a time and by
 * keyboard. It is on Special:BlankPage/sidenote of a wiki and on the backend's own page. Holds its
 * three ways of working, who is signed in, and the help.
 */
'use strict';

const attempts = require( '../acting/attempts.js' );
const comparing = require( './comparing.js' );
const dialog = require( '../page/dialog.js' );
const { bdi, button, h, replace } = require( '../page/dom.js' );
const { msg } = require( '../page/messages.js' );
const keyboard = require( './queue_keys.js' );
const notices = require( './queue_notices.js' );
const walking = require( './queue_walk.js' );
const reviewing = require( './reviewing.js' );

const MODES = [
	[ 'walk', 'queue-mode-walk', walking ],
	[ 'compare', 'queue-mode-compare', comparing ],
	[ 'review', 'queue-mode-review', reviewing ]
];

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

	const keys = keyboard.listen( mw, () => Object.assign( { '?': help }, current ? current.keys() : {} ) );
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
