/*!
 * What can go wrong between the reader and the backend, in words that say what to do.
 * Every part that asks the backend rejects with a Failure and shows it by explain().
 */
'use strict';

const messages = require( '../page/messages.js' );

// Messages: refusal-*

/** The closed set of kinds, and what is said of each. */
const MESSAGES = {
	offline: 'failure-offline',
	late: 'failure-late',
	busy: 'failure-busy',
	refused: 'failure-refused',
	'signed-out': 'failure-signed-out',
	unknown: 'failure-unknown',
	fault: 'failure-fault'
};
// If only the server's English text gives the reason, it is appended.
const WITH_REASON = { refused: 'failure-refused-said', fault: 'failure-fault-said' };

class Failure extends Error {
	/**
	 * @param {string} kind a key of MESSAGES
	 * @param {Object} [more]
	 * @param {number} [more.retryInS] when to try again, in seconds
	 * @param {string} [more.text] what the server said, in English
	 * @param {Object} [more.reason] the same as a message: key, english and values
	 * @param {number} [more.status] HTTP status
	 * @param {string} [more.code] the server's name for it
	 */
	constructor( kind, more ) {
		const details = more || {};
		super( details.text || kind );
		this.name = 'Failure';
		this.kind = MESSAGES[ kind ] ? kind : 'fault';
		this.retryInS = details.retryInS || null;
		this.text = details.text || '';
		this.reason = details.reason || null;
		this.status = details.status || 0;
		this.code = details.code || '';
	}
}

/**
 * @param {Error} error whatever a promise was rejected with
 * @return {Failure}
 */
function asFailure( error ) {
	// By its name: another bundle on the page has its own class.
	return error && error.name === 'Failure' && MESSAGES[ error.kind ] ? error :
		new Failure( 'fault', { text: String( error && error.message || error || '' ) } );
}

/**
 * Say what is wrong and what the reader can do, in their language.
 *
 * @param {Error} error
 * @param {number} [leftS] seconds until trying again makes sense, as they go by
 * @return {string}
 */
function explain( error, leftS ) {
	const failure = asFailure( error );
	const waitS = leftS === undefined ? failure.retryInS : leftS;
	if ( failure.kind === 'busy' && waitS ) {
		return messages.msg( 'failure-busy-seconds', waitS );
	}
	if ( failure.reason && messages.known( failure.reason.key ) ) {
		return messages.words( failure.reason );
	}
	if ( failure.text && WITH_REASON[ failure.kind ] ) {
		return messages.msg( WITH_REASON[ failure.kind ], failure.text );
	}
	return messages.msg( MESSAGES[ failure.kind ] );
}

module.exports = { Failure, asFailure, explain };
