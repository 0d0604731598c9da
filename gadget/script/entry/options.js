/**
 * What a reader chose, stored by their own wiki: in their account, or in the browser if they have
 * none. The backend never sees it.
 */
'use strict';

const KEY = 'userjs-sidenote';
const MOST_STOPPED = 200; // an account's option has 64 kB

function isStoredByAccount( mw ) {
	return mw.user.isNamed ? mw.user.isNamed() : !mw.user.isAnon();
}

function stored( mw ) {
	try {
		return JSON.parse(
			isStoredByAccount( mw ) ? mw.user.options.get( KEY ) : mw.storage.get( KEY )
		);
	} catch ( error ) {
		return null;
	}
}

/**
 * Return what the reader chose; what is not understood is ignored.
 *
 * @param {Object} mw
 * @return {{badge: boolean, diffs: boolean, doubtful: boolean, stopped: string[], noticed: boolean}}
 */
function load( mw ) {
	const found = stored( mw );
	const values = Object.assign( {}, found && typeof found === 'object' ? found : {} );
	[ 'badge', 'diffs', 'doubtful', 'noticed' ].forEach( ( name ) => {
		values[ name ] = values[ name ] === true;
	} );
	values.stopped = ( Array.isArray( values.stopped ) ? values.stopped : [] )
		.filter( ( title ) => typeof title === 'string' );
	return values;
}

/**
 * Save choices; those not named stay as they are.
 *
 * @param {Object} mw
 * @param {Object} values
 * @return {Promise} is rejected where they could not be kept
 */
function save( mw, values ) {
	const all = Object.assign( load( mw ), values );
	all.stopped = all.stopped.slice( -MOST_STOPPED );
	const text = JSON.stringify( all );
	if ( !isStoredByAccount( mw ) ) {
		return mw.storage.set( KEY, text ) ? Promise.resolve( all ) :
			Promise.reject( new Error( 'storage is off or full' ) );
	}
	return Promise.resolve( mw.loader.using( 'mediawiki.api' ) )
		.then( () => new mw.Api().saveOption( KEY, text ) )
		.then( () => {
			mw.user.options.set( KEY, text );
			return all;
		} );
}

module.exports = { load: load, save: save };
