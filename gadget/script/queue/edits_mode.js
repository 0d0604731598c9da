/*!
 * Goes through the edits that moved a sentence away from its source, the newest first, with one key for
 * each answer: a digit for each reason to dismiss the note, others for the diff, the old words and the
 * wiki's own way to undo the edit.
 */
'use strict';

const { msg } = require( '../page/messages.js' );
const { reasonsFor, reasonWords } = require( '../cards/verdicts.js' );
const walkMode = require( './walk_mode.js' );

const KIND = 'changed';

/**
 * @param {Object} given as for walk_mode.js
 * @return {Object} start(), keys(), help(), close()
 */
function open( given ) {
	const api = Object.assign( {}, given.api, {
		queue: ( after, limit ) => given.api.queue( after, limit, KIND )
	} );
	const walk = walkMode.open( Object.assign( {}, given, {
		api, isQuick: true, nothing: [ msg( 'queue-edits-none' ), msg( 'queue-edits-why' ) ]
	} ) );
	const reasons = reasonsFor( { kind: KIND } );
	return Object.assign( {}, walk, {
		help: () => reasons.map( ( reason, index ) => [ String( index + 1 ), reasonWords( reason ) ] ).concat( [
			[ 'a', msg( 'accept' ) ], [ 'o', msg( 'change-diff' ) ], [ 'e', msg( 'edit-do-restore' ) ],
			[ 'r', msg( 'change-undo' ) ], [ 'n', msg( 'queue-next' ) ], [ 'p', msg( 'queue-previous' ) ], [ 'u', msg( 'undo' ) ]
		] )
	} );
}

module.exports = { open };
