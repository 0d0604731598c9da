/**
 * The preferences, and the dialog in which a reader sets them.
 */
'use strict';

const options = require( './options.js' );
const form = require( './preferences_form.js' );
const onWiki = require( './preferences_codex.js' );

const MODULES = [ 'vue', '@wikimedia/codex' ];

function hasCodex( mw ) {
	return MODULES.every( ( name ) => mw.loader.getState( name ) !== null );
}

/**
 * Let the reader set their preferences: in Codex' dialog on a wiki, and in one of the
 * browser's own where Vue is not there.
 *
 * @param {Object} mw
 * @return {Promise<Object|null>} what they saved; null if they left it as it was
 */
function dialog( mw ) {
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

/**
 * @param {Object} mw
 * @return {{load: Function, save: Function, dialog: Function}} the same for this `mw`
 */
function of( mw ) {
	return {
		load: () => options.load( mw ),
		save: ( values ) => options.save( mw, values ),
		dialog: () => dialog( mw )
	};
}

module.exports = { load: options.load, save: options.save, dialog: dialog, of: of };
