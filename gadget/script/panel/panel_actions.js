/*!
 * Carries out what a reader does on a card in the panel: the decided card is removed, the next one
 * is shown, and a bar offers to undo it.
 */
'use strict';

const { decidedWords } = require( '../cards/decision.js' );
const { msg } = require( '../page/messages.js' );

/**
 * @param {Object} given
 * @param {Object} given.actions
 * @param {Object} given.frame
 * @param {Object} given.undo
 * @param {Function} given.notes gives the present notes, or null
 * @param {Function} given.refilter
 * @param {Function} given.signIn
 * @param {Function} given.showStopped
 * @return {Function} act( name, card, detail ), for cards.js
 */
function create( given ) {
	const { actions, frame, undo, refilter } = given;

	function settled( card, mine ) {
		const notes = given.notes(), note = notes && notes.noteOf( card.id );
		if ( !note ) {
			return;
		}
		const next = notes.after( note ), focused = document.activeElement;
		// The sign-in dialog has closed, and the element that opened it is gone.
		const had = focused === document.body || frame.element.contains( focused );
		notes.put( Object.assign( {}, note.card, { mine } ) );
		refilter();
		if ( had ) {
			const target = mine && !notes.shown().includes( note ) ? next : note;
			if ( target && notes.shown().includes( target ) ) {
				notes.focus( target );
			} else {
				frame.element.focus();
			}
		}
		if ( mine ) {
			undo.show( decidedWords( mine, card ) + ' ' + msg( 'thanks' ), () => takeBack( note.card ) );
		} else {
			undo.clear();
			frame.say( msg( 'undone' ) );
		}
	}

	function takeBack( card ) {
		return Promise.resolve( actions.undo( card.mine.id ) ).then( () => settled( card, null ) );
	}

	function decided( promise, card ) {
		return Promise.resolve( promise ).then( ( mine ) => settled( card, mine ) );
	}

	const acts = {
		accept: ( card ) => decided( actions.accept( card ), card ),
		dismiss: ( card, reason ) => decided( actions.dismiss( card, reason ), card ),
		wrong: ( card, verdict ) => decided( actions.wrong( card, verdict ), card ),
		undo: ( card ) => takeBack( card ),
		edit: ( card, edit ) => actions.edit( card, edit ),
		'open-undo': ( card, revisions ) => actions.openUndo( card, revisions ),
		copy: ( card, text ) => actions.copy( text ),
		stop: () => Promise.resolve( actions.stopHere() ).then( given.showStopped ),
		report: ( card ) => actions.report( card ),
		'sign-in': given.signIn
	};

	return ( name, card, detail ) => acts[ name ] ? acts[ name ]( card, detail ) : undefined;
}

module.exports = { create };
