/*!
 * The one secret of a sign-in: it never leaves this browser before the sign-in is done;
 * the backend is given its digest first, so that nobody else can fetch the token.
 */
'use strict';

const { Failure } = require( './failing.js' );

const BYTES = 32;

function hex( bytes ) {
	return Array.from( bytes, ( byte ) => byte.toString( 16 ).padStart( 2, '0' ) ).join( '' );
}

/**
 * @return {Promise<Object>} secret and its sha256, both in hexadecimal digits
 */
function make() {
	const digest = window.crypto && window.crypto.subtle;
	if ( !digest ) {
		// Browsers have no digests on pages that came unencrypted.
		return Promise.reject( new Failure( 'refused', { code: 'not-secure' } ) );
	}
	const secret = hex( window.crypto.getRandomValues( new Uint8Array( BYTES ) ) );
	return digest.digest( 'SHA-256', new TextEncoder().encode( secret ) )
		.then( ( sum ) => ( { secret, sha256: hex( new Uint8Array( sum ) ) } ) );
}

module.exports = { make };
