/*!
 * The secret of a sign-in: it does not leave this browser before the sign-in is done; the backend
 * gets its digest first, so that nobody else can fetch the token.
 */
'use strict';

const { Failure } = require( './failing.js' );

const BYTES = 32;
const SHOWN_DIGITS = 16;

function hex( bytes ) {
	return Array.from( bytes, ( byte ) => byte.toString( 16 ).padStart( 2, '0' ) ).join( '' );
}

/**
 * @return {Promise<Object>} secret and its sha256, both in hexadecimal digits
 */
function make() {
	const digest = window.crypto && window.crypto.subtle;
	if ( !digest ) {
		// Browsers offer no digests on unencrypted pages.
		return Promise.reject( new Failure( 'refused', { code: 'not-secure' } ) );
	}
	const secret = hex( window.crypto.getRandomValues( new Uint8Array( BYTES ) ) );
	return digest.digest( 'SHA-256', new TextEncoder().encode( secret ) )
		.then( ( sum ) => ( { secret, sha256: hex( new Uint8Array( sum ) ) } ) );
}

/**
 * @param {string} text that is to be saved in public
 * @param {string} sha256
 * @return {boolean} whether it is for the secret of that digest, and so for this browser
 */
function isFor( text, sha256 ) {
	return typeof text === 'string' && text.includes( sha256.slice( 0, SHOWN_DIGITS ) );
}

module.exports = { make, isFor };
