/**
 * Adds the wiki's change tag to edits that the panel filled in, if the wiki has one and lets the
 * reader use it. The form that the wiki shows after a preview does not keep a tag, so it is added
 * to each form whose summary is one of the panel's. The visual editor asks for extra fields when it
 * saves.
 */
'use strict';

const TAG = 'sidenote';
const OURS = '|Sidenote]])';

function has( mw ) {
	return mw.loader.using( 'mediawiki.api' ).then( () => mw.user.getRights() ).then( ( rights ) =>
		// The list begins at the tag itself, if it is there.
		rights.includes( 'applychangetags' ) ? new mw.Api().get( {
			action: 'query', list: 'tags', tgprop: 'active', tgcontinue: TAG, tglimit: 1, formatversion: 2
		} ) : null
	).then( ( answer ) => {
		const first = answer && answer.query.tags[ 0 ];
		return !!first && first.name === TAG && first.active;
	} );
}

/**
 * @param {Object} mw
 */
function mark( mw ) {
	const form = document.getElementById( 'editform' );
	const summary = form && form.elements.wpSummary;
	if ( !summary || !summary.value.includes( OURS ) || form.elements.wpChangeTags ) {
		return;
	}
	has( mw ).then( ( isThere ) => {
		if ( isThere ) {
			const field = document.createElement( 'input' );
			field.type = 'hidden';
			field.name = 'wpChangeTags';
			field.value = TAG;
			form.prepend( field ); // the wiki considers a form complete by its last field
		}
	}, mw.log.error );
}

/** Do the same in the visual editor, each time that it opens. */
function markVisual( mw ) {
	mw.hook( 've.activationComplete' ).add( () => {
		const target = window.ve.init.target;
		if ( !target || !target.saveFields ) {
			return;
		}
		has( mw ).then( ( isThere ) => {
			if ( isThere ) {
				// What is undefined is not sent.
				target.saveFields.tags = () => {
					const typed = target.saveDialog && target.saveDialog.editSummaryInput;
					const summary = typed ? typed.getValue() : target.initialEditSummary;
					return ( summary || '' ).includes( OURS ) ? TAG : undefined;
				};
			}
		}, mw.log.error );
	} );
}

module.exports = { mark, markVisual };
