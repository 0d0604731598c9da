/**
 * The preferences, and the dialog in which a reader sets them.
 */
'use strict';

const options = require( '../entry/options.js' );
const form = require( './preferences_form.js' );
const messages = require( '../page/messages.js' );
const onWiki = require( './preferences_codex.js' );

const MODULES = [ 'vue', '@wikimedia/codex' ];

function hasCodex( mw ) {
	return MODULES.every( ( name ) => mw.loader.getState( name ) !== null );
}

/**
 * Let the reader set their preferences: in a Codex dialog on a wiki, or in a native browser dialog
 * without Vue.
 *
 * @param {Object} mw
 * @return {Promise<Object|null>} what they saved; null if they left it as it was
 */
function dialog( mw ) {
	return ask( mw ).then( ( saved ) => {
		if ( saved ) {
			mw.notify( messages.msg( 'preferences-saved' ), { type: 'success', tag: 'sidenote' } );
		}
		return saved;
	} );
}

function ask( mw ) {
	const before = options.load( mw );
	const save = ( values ) => options.save( mw, values );
	if ( !hasCodex( mw ) ) {
		return form.ask( before, save );
	}
	return Promise.resolve( mw.loader.using( MODULES ) ).then(
		( require ) => onWiki.ask( require( 'vue' ), require( '@wikimedia/codex' ), before, save ),
		() => form.ask( before, save )
	);
}

module.exports = { load: options.load, save: options.save, dialog: dialog };
