/*!
 * A bar that undoes a decision, for ten seconds, and while it has the focus or the pointer.
 * Afterwards the decided card itself has the same button.
 */
'use strict';

const { h, icon, button, empty, replace } = require( '../page/dom.js' );
const { msg } = require( '../page/messages.js' );
const errorNotice = require( '../cards/error_notice.js' );

const SHOWN_MS = 10000;

/**
 * @param {HTMLElement} place
 * @return {Object} show( text, act ), press() and clear()
 */
function create( place ) {
	const notice = h( 'div', { class: 'sidenote-undo', role: 'status', hidden: true } );
	const problem = errorNotice.create();
	let timer = null, current = null;
	place.append( notice, problem.element );

	function clear() {
		clearTimeout( timer );
		current = null;
		notice.hidden = true;
		empty( notice );
		problem.clear();
	}

	function isUsed() {
		return notice.matches( ':hover' ) || notice.contains( document.activeElement );
	}

	function wait() {
		clearTimeout( timer );
		timer = setTimeout( () => isUsed() ? wait() : clear(), SHOWN_MS );
	}

	function press() {
		const act = current;
		if ( !act ) {
			return;
		}
		clear();
		Promise.resolve().then( act ).catch( ( error ) => problem.show( error, { again: () => {
			current = act;
			press();
		} } ) );
	}

	function show( text, act ) {
		clear();
		current = act;
		notice.hidden = false;
		replace( notice, icon( 'check' ), h( 'span', { text } ),
			button( { icon: 'undo', text: msg( 'undo' ), props: { 'aria-keyshortcuts': 'u', onclick: press } } ) );
		wait();
	}

	return { show, press, clear };
}

module.exports = { create };
