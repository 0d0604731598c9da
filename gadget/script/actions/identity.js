/*!
 * Who is reading, as far as actions need it. The wiki tells the backend who its reader is, and the
 * backend gives a token, which is all that is stored here. Our code never sees the reader's
 * credentials for the wiki.
 */
'use strict';

const signInDialog = require( './sign_in.js' );

const KEY = 'sidenote-token';

/**
 * Several people may use one browser: what one of them stored there is not for the others.
 *
 * @param {Object} mw
 * @param {string} user
 * @return {boolean} whether the wiki knows the reader by that name; pages of our own know none
 */
function isHere( mw, user ) {
	return mw.config.get( 'skin' ) === 'sidenote-local' || mw.user.getName() === user;
}

function stored( mw ) {
	const text = mw.storage.get( KEY );
	if ( !text ) {
		return null;
	}
	let known;
	try {
		known = JSON.parse( text );
	} catch ( e ) {
		return null;
	}
	const isWhole = known && typeof known.token === 'string' && typeof known.user === 'string';
	return isWhole && Date.parse( known.expires_at ) > Date.now() ? known : null;
}

/**
 * @param {Object} given
 * @param {Object} given.api of api.js
 * @param {Object} given.mw
 * @param {string} [given.wiki] as the backend knows it
 * @return {Object} token(), user(), who(), signIn(), signOut(), onChange( f )
 */
function create( given ) {
	const { api, mw } = given;
	const wiki = given.wiki || location.host;
	const listeners = [];
	let signsIn = null;

	// A reader who signs in on a page opened before they logged in on the wiki.
	let fresh = null;

	function mine() {
		const known = stored( mw );
		return known && ( known.token === fresh || isHere( mw, known.user ) ) ? known : null;
	}

	const token = () => ( mine() || { token: null } ).token;
	const user = () => ( mine() || { user: null } ).user;
	const tell = () => listeners.forEach( ( listener ) => listener( user() ) );

	function forget( which ) {
		// Another tab may have signed in again meanwhile; keep that token.
		if ( !which || which === token() || token() === null ) {
			mw.storage.remove( KEY );
			tell();
		}
	}

	function who() {
		if ( token() === null ) {
			return Promise.resolve( null );
		}
		return api.reader().then( ( reader ) => ( { user: reader.user, attempts: reader.attempts } ) ).catch( ( failure ) => {
			if ( failure.kind === 'signed-out' ) {
				return null;
			}
			throw failure;
		} );
	}

	function signIn() {
		if ( token() !== null ) {
			return Promise.resolve( { user: user() } );
		}
		if ( !signsIn ) {
			signsIn = signInDialog.open( { api, mw, wiki } ).then( ( signed ) => {
				signsIn = null;
				fresh = signed.token;
				mw.storage.set( KEY, JSON.stringify( {
					token: signed.token, user: signed.user, expires_at: signed.expires_at
				} ) );
				tell();
				return { user: signed.user };
			} );
			signsIn.catch( () => {
				signsIn = null;
			} );
		}
		return signsIn;
	}

	function signOut() {
		// Tell the backend first, which needs the token for it; delete it in any case.
		const signedOut = token() === null ? Promise.resolve() : api.signOut();
		const done = () => forget();
		return signedOut.then( done, done );
	}

	if ( mw.storage.get( KEY ) && token() === null ) {
		mw.storage.remove( KEY );
	}
	api.onSignedOut( forget );
	window.addEventListener( 'storage', ( event ) => {
		if ( event.key === KEY ) {
			tell();
		}
	} );

	return { token, user, who, signIn, signOut, onChange: ( listener ) => listeners.push( listener ) };
}

module.exports = { create, KEY };
