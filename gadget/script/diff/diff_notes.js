/*!
 * The notes about the edits that a diff shows, above it: the same cards as in the panel. Where there
 * are none, or the backend does not answer, the diff stands alone.
 */
'use strict';

const attempts = require( '../actions/attempts.js' );
const cards = require( '../cards/cards.js' );
const { h, icon, newId, replace } = require( '../page/dom.js' );
const { msg, written } = require( '../page/messages.js' );

/**
 * @param {Object} given
 * @param {Object} given.page wiki, title, revision and since
 * @param {Element} given.before what they stand above
 * @param {Object} given.api
 * @param {Object} given.identity
 * @param {Object} given.actions
 * @return {Promise<Object|null>} close(); null where there is nothing to show
 */
function open( given ) {
	const { page, before, api, identity, actions } = given, language = written();
	const list = h( 'ol', { class: 'sidenote-diff__list' } ), warned = h( 'div' ), title = newId( 'diff' );
	const said = h( 'p', { class: 'sidenote-unseen', role: 'status' } );
	const items = new Map();

	/** No link to the diff that is read already. */
	function diffAddress( card, revisions ) {
		const isHere = revisions.until === page.revision && revisions.since === page.since;
		return isHere ? '' : actions.diffAddress( card, revisions );
	}

	function put( card, takesFocus ) {
		const element = cards.render( card, { onAction: act, canWrite: actions.canWrite, diffAddress } );
		replace( items.get( card.id ), element );
		if ( takesFocus ) {
			element.focus();
		}
	}

	function settled( card, mine ) {
		put( Object.assign( {}, card, { mine } ), true );
		said.textContent = msg( mine ? 'thanks' : 'undone' );
	}

	function act( name, card, detail ) {
		switch ( name ) {
			case 'accept':
				return actions.accept( card ).then( ( mine ) => settled( card, mine ) );
			case 'dismiss':
				return actions.dismiss( card, detail ).then( ( mine ) => settled( card, mine ) );
			case 'undo':
				return actions.undo( detail ).then( () => settled( card, null ) );
			case 'edit':
				return actions.edit( card, detail );
			case 'open-undo':
				return actions.openUndo( card, detail );
			case 'copy':
				return actions.copy( detail );
			case 'sign-in':
				return identity.signIn();
			default:
				return undefined;
		}
	}

	function show( found ) {
		found.forEach( ( card ) => {
			items.set( card.id, list.appendChild( h( 'li' ) ) );
			put( card );
		} );
		const element = h( 'section', { class: 'sidenote-diff', 'aria-labelledby': title, lang: language.lang, dir: language.dir },
			h( 'h2', { class: 'sidenote-diff__title', id: title, text: msg( 'change-diff-title' ) } ),
			warned, said, list,
			h( 'p', { class: 'sidenote-diff__machine' }, icon( 'robot' ), h( 'span', { text: msg( 'machine-made' ) } ) ) );
		before.parentNode.insertBefore( element, before );
		attempts.watch( identity, warned );
		return { close: () => element.remove() };
	}

	return api.diff( page.wiki, page.title, page.revision, page.since ).then( ( answer ) => {
		const found = answer.cards.filter( ( card ) => card.change );
		return found.length && before.isConnected ? show( found ) : null;
	}, () => null );
}

module.exports = { open };
