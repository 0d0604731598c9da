/*!
 * Says when and on which device a sign-in was begun, so that people can distinguish their own from
 * one that somebody else began in their name.
 */
'use strict';

const { h } = require( '../page/dom.js' );
const { msg, moment } = require( '../page/messages.js' );

/**
 * @param {Object} attempt begun_at, browser and system, as the backend knows them
 * @return {string}
 */
function words( attempt ) {
	const at = moment( attempt.begun_at );
	const known = [ attempt.browser, attempt.system ].filter( Boolean );
	if ( known.length === 2 ) {
		return msg( 'attempt', at, known[ 0 ], known[ 1 ] );
	}
	return known.length ? msg( 'attempt-with', at, known[ 0 ] ) : msg( 'attempt-unknown', at );
}

/**
 * @param {string} key of what is said of them, with their number and the name
 * @param {Array} attempts
 * @param {string} user in whose name they were begun
 * @return {Element}
 */
function warning( key, attempts, user ) {
	return h( 'div', { class: 'sidenote-attempts', role: 'alert' },
		h( 'p', { text: msg( key, attempts.length, user ) } ),
		h( 'ul', {}, attempts.map( ( each ) => h( 'li', { text: words( each ) } ) ) ),
		h( 'p', { text: msg( 'attempts-not-you' ) } ) );
}

/**
 * Warn a signed-in reader about other sign-ins in progress in their name.
 *
 * @param {Object} identity
 * @param {Element} place that is filled, or emptied
 * @return {Promise}
 */
function watch( identity, place ) {
	return identity.who().then( ( reader ) => {
		const found = reader && reader.attempts || [];
		place.replaceChildren( ...( found.length ? [ warning( 'attempts-now', found, reader.user ) ] : [] ) );
	} ).catch( () => {} ); // nothing else depends on it
}

module.exports = { words, warning, watch };
