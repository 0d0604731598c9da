/*!
 * The foot of a card: what opens the editor, in the order in which editors work, and below it
 * decisions in one tap. Every action shows that it is in progress, and what to do if it fails.
 */
'use strict';

const { h, icon, button, replace } = require( '../page/dom.js' );
const { undoOf } = require( './changes.js' );
const { ago, msg } = require( '../page/messages.js' );
const { editButton, fixOf, ranked } = require( './remedies.js' );
const errorNotice = require( './error_notice.js' );
const { VERDICTS, kindShort, reasonWords, reasonsFor, slug } = require( './verdicts.js' );

const TELLS_AFTER_MS = 150;

/**
 * @param {Object} mine a decision of the reader's
 * @param {Object} [card] that it is about
 * @return {string}
 */
function decidedWords( mine, card ) {
	if ( mine.kind === 'accept' ) {
		return msg( 'decided-accept' );
	}
	if ( mine.kind === 'compared' ) {
		return msg( mine.says_so ? 'decided-says-so' : 'decided-says-not' );
	}
	return mine.kind === 'dismiss' ?
		msg( 'decided-dismiss', reasonWords( mine.reason, card ) ) : msg( 'decided-wrong' );
}

/**
 * @param {Object} card
 * @param {Function} onAction see cards.js
 * @param {Object} [options] canWrite and isQuick of cards.js
 * @return {Object} element, and act( name, detail, element ) for the rest of the card
 */
function create( card, onAction, options ) {
	const { canWrite, isQuick } = options || {};
	const problem = errorNotice.create();
	const status = h( 'p', { class: 'sidenote-told', role: 'status' } );
	const edits = h( 'div', { class: 'sidenote-acts__row' } );
	const row = h( 'div', { class: 'sidenote-acts__row' } );
	const element = h( 'div', { class: 'sidenote-acts' }, edits, row, status, problem.element );
	const hasVerdict = [ 'citation', 'source', 'update' ].includes( card.kind ); // no source says anything about others
	let isBusy = false;

	/** Do something that takes time; then, if given, what follows. */
	function run( start, then ) {
		if ( isBusy ) {
			return;
		}
		isBusy = true;
		problem.clear();
		status.textContent = '';
		const timer = setTimeout( () => {
			status.textContent = msg( 'working' );
			element.setAttribute( 'aria-busy', 'true' );
		}, TELLS_AFTER_MS );
		const over = () => {
			clearTimeout( timer );
			isBusy = false;
			status.textContent = '';
			element.removeAttribute( 'aria-busy' );
		};
		Promise.resolve().then( start ).then( ( answer ) => {
			over();
			if ( then ) {
				then( answer );
			}
		}, ( error ) => {
			over();
			const again = () => run( start, then );
			problem.show( error, { again, signIn: () => run( () => onAction( 'sign-in', card, null, element ), again ) } );
			problem.focus();
		} );
	}

	function act( name, detail, from ) {
		run( () => onAction( name, card, detail, from || element ), () => {
			status.textContent = name === 'copy' ? msg( 'copied' ) : '';
		} );
	}

	/** One more tap: a row of answers instead of the buttons. */
	function ask( question, answers, opener ) {
		const back = () => {
			showActs();
			row.querySelectorAll( 'button' )[ opener ].focus();
		};
		const group = h( 'div', { class: 'sidenote-ask', role: 'group', 'aria-label': question },
			h( 'span', { class: 'sidenote-ask__why', 'aria-hidden': 'true', text: question } ),
			answers.map( ( answer ) => button( { text: answer.text, props: { onclick: answer.act } } ) ),
			button( { icon: 'undo', kind: 'quiet', text: msg( 'ask-back' ), props: { onclick: back } } ) );
		group.addEventListener( 'keydown', ( event ) => {
			if ( event.key === 'Escape' ) {
				event.stopPropagation();
				back();
			}
		} );
		replace( row, group );
		group.querySelector( 'button' ).focus();
		group.scrollIntoView( { block: 'nearest' } );
	}

	function askReason() {
		ask( msg( 'ask-reason' ), reasonsFor( card ).map( ( reason ) => ( {
			text: reasonWords( reason, card ), act: () => act( 'dismiss', reason )
		} ) ), 0 );
	}

	function askVerdict() {
		ask( msg( 'ask-verdict' ), VERDICTS.filter( ( verdict ) => verdict !== card.verdict ).map( ( verdict ) => ( {
			text: kindShort( slug( verdict ) ), act: () => act( 'wrong', verdict )
		} ) ), row.children.length - 1 );
	}

	/** The reasons at once, with the digit that chooses each. */
	function reasons() {
		return h( 'div', { class: 'sidenote-ask', role: 'group', 'aria-label': msg( 'ask-reason' ) },
			h( 'span', { class: 'sidenote-ask__why', 'aria-hidden': 'true', text: msg( 'ask-reason' ) } ),
			reasonsFor( card ).map( ( reason, index ) => h( 'span', { class: 'sidenote-quick' },
				button( { text: reasonWords( reason, card ), props: { 'data-key': String( index + 1 ), onclick: () => act( 'dismiss', reason ) } } ),
				h( 'kbd', { 'aria-hidden': 'true', text: String( index + 1 ) } ) ) ) );
	}

	/** Whether the source says so, in one tap. */
	function answers() {
		const answer = ( key, letter, saysSo ) => button( { icon: saysSo ? 'check' : 'close', text: msg( key ), props: {
			'data-key': letter, onclick: () => act( 'compared', saysSo )
		} } );
		// Messages: says-so, says-not
		return h( 'div', { class: 'sidenote-ask', role: 'group', 'aria-label': msg( 'says-ask' ) },
			h( 'span', { class: 'sidenote-ask__why', 'aria-hidden': 'true', text: msg( 'says-ask' ) } ),
			answer( 'says-so', 'y', true ), answer( 'says-not', 'x', false ) );
	}

	function showActs() {
		if ( card.kind === 'compare' ) {
			replace( edits );
			replace( row, answers() );
			row.querySelector( 'button' ).classList.add( 'sidenote-primary' );
			return;
		}
		const fix = fixOf( card, canWrite ), made = ranked( card );
		const ways = made.map( ( edit ) => editButton( edit, ( event ) => act( 'edit', edit, event.currentTarget ) ) );
		const write = fix ? button( { icon: 'edit', text: msg( 'fix' ), props: {
			title: msg( 'fix-help' ), onclick: ( event ) => act( 'edit', fix, event.currentTarget )
		} } ) : null;
		// A sentence that needs a source is fixed by adding one; one that an edit broke, by its old words.
		const first = made.filter( ( edit ) => card.kind === 'source' || edit.kind === 'restore' ).length;
		const all = [ ...ways.slice( 0, first ), undoOf( card, ( revisions ) => act( 'open-undo', revisions ) ), write, ...ways.slice( first ) ].filter( Boolean );
		replace( edits, all );
		replace( row,
			isQuick ? reasons() : button( { text: msg( 'dismiss' ), props: { onclick: askReason } } ),
			button( { icon: 'check', text: msg( 'accept' ), kind: 'quiet', props: {
				title: msg( 'accept-help' ), onclick: () => act( 'accept', null )
			} } ),
			hasVerdict ? button( { text: msg( 'wrong' ), kind: 'quiet', props: { onclick: askVerdict } } ) : null );
		( all[ 0 ] || row.querySelector( 'button' ) ).classList.add( 'sidenote-primary' );
	}

	function showDecided() {
		replace( edits );
		replace( row,
			h( 'p', { class: 'sidenote-decided' },
				icon( 'check' ), h( 'span', { text: decidedWords( card.mine, card ) + ' · ' + ago( card.mine.decided_at ) } ) ),
			button( { icon: 'undo', text: msg( 'undo' ), props: {
				class: 'sidenote-primary', onclick: () => act( 'undo', card.mine.id )
			} } ) );
	}

	( card.mine ? showDecided : showActs )();
	return { element, act };
}

module.exports = { create, decidedWords };
