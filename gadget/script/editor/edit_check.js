/*!
 * The same notes where people edit: cards of VisualEditor's own Edit Check, in Suggestion Mode
 * where the wiki has it. It registers a check in the same way as VisualEditor's own; the words are
 * those of the panel.
 *
 * VisualEditor changed what a check is given and returns after 1.43 (one `highlight`; later
 * `fragments`, a controller, suggestions), so this supports both.
 */
'use strict';

const { confidenceWords } = require( '../cards/cards.js' );
const { changeOf } = require( '../cards/changes.js' );
const { h } = require( '../page/dom.js' );
const { msg, words } = require( '../page/messages.js' );
const { claimOf, quotesOf, sourcesOf } = require( '../cards/quotes.js' );
const { labelOf, updateOf } = require( '../cards/updates.js' );
const { titleWords } = require( '../cards/verdicts.js' );
const { writingOf } = require( '../cards/writing.js' );

const NAME = 'sidenote';
const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/**
 * @param {Object} card
 * @param {boolean} hasTitle whether the editor shows the card's title itself
 * @return {HTMLElement} what a card says
 */
function wordsOf( card, hasTitle ) {
	return h( 'div', { class: 'sidenote-check' },
		hasTitle ? null : h( 'p', null, h( 'strong', { text: titleWords( card ) } ) ),
		card.change ? changeOf( card ) : claimOf( card.claim ),
		writingOf( card ),
		card.quotes.length ? [
			h( 'h4', { class: 'sidenote-label', text: card.note ? words( card.note.quoted_as ) : msg( card.kind === 'update' ? 'label-newer' : 'label-source' ) } ),
			quotesOf( card, () => {} )
		] : card.kind === 'writing' ? null : [ h( 'p', { text: msg( 'quotes-none' ) } ), card.kind === 'citation' ? sourcesOf( card ) : null ],
		card.update ? [ h( 'p', { text: labelOf( card ) } ), updateOf( card ) ] : null,
		h( 'p', { class: 'sidenote-quiet', text: confidenceWords( card.confidence ) } ),
		h( 'p', { class: 'sidenote-quiet', text: msg( 'machine-made' ) } ) );
}

/**
 * Find a card's words in the edited document. Footnotes and templates within them are skipped, as
 * one character each.
 *
 * @param {Object} document a ve.dm.Document
 * @param {Object} card
 * @return {Object|null} a ve.Range
 */
function rangeOf( document, card ) {
	const words = card.claim.text.split( /\s+/ ).filter( Boolean )
		.map( ( word ) => word.replace( SPECIAL, '\\$&' ) );
	const query = new RegExp( words.join( '[\\s\\u00A0\\uFFFC]+' ), 'g' );
	const found = words.length ? document.findText( query ) : [];
	return found[ Math.min( card.claim.occurrence || 0, found.length - 1 ) ] || null;
}

/**
 * @param {Object} mw with VisualEditor's `editcheck`
 * @return {Function} a check, as its factory wants it; it shows the cards in `static.notes`
 */
function checkOf( mw ) {
	const Base = mw.editcheck.BaseEditCheck, EditCheckAction = mw.editcheck.EditCheckAction;
	const dismissed = new Set(), isNewer = Boolean( mw.editcheck.Controller );
	const choices = [ { action: 'dismiss', label: msg( 'dismiss' ) } ];

	function SourceNotes( ...given ) {
		Base.apply( this, given );
	}
	OO.inheritClass( SourceNotes, Base );
	SourceNotes.static.name = NAME;
	SourceNotes.static.notes = [];
	SourceNotes.static.choices = choices;
	SourceNotes.static.title = msg( 'panel-title' );
	SourceNotes.static.description = msg( 'entry-tooltip' );
	SourceNotes.static.defaultConfig = Object.assign( {}, Base.static.defaultConfig, {
		maximumEditCount: false, showAsCheck: true, showAsSuggestion: true
	} );

	// What was wrong before the edit is a suggestion, if the editor has suggestions.
	SourceNotes.prototype.canBeShown = function ( document, isSuggestion ) {
		return Boolean( isSuggestion ) === Boolean( mw.editcheck.suggestionsModeAvailable );
	};

	SourceNotes.prototype.onDocumentChange = function ( surface ) {
		const document = surface.getDocument();
		return SourceNotes.static.notes.map( ( card ) => {
			const range = dismissed.has( card.id ) ? null : rangeOf( document, card );
			const fragment = range && surface.getLinearFragment( range );
			return fragment && new EditCheckAction( {
				check: this, id: card.id, fragments: [ fragment ], highlight: fragment, selection: fragment,
				title: titleWords( card ), message: $( wordsOf( card, isNewer ) ), choices
			} );
		} ).filter( Boolean );
	};

	SourceNotes.prototype.act = function ( choice, action, ...more ) {
		dismissed.add( action.id );
		return Base.prototype.act ? Base.prototype.act.call( this, choice, action, ...more ) : undefined;
	};

	return SourceNotes;
}

/** Open the list of checks, which the 1.43 editor opens only on request. */
function openSide( mw ) {
	const ready = mw.hook( 've.activationComplete' );
	const open = () => {
		ready.remove( open );
		const surface = window.ve.init.target && window.ve.init.target.getSurface();
		if ( surface ) {
			surface.executeCommand( 'editCheckDialog' );
		}
	};
	ready.add( open );
}

/**
 * Show the notes of an article in the editor that is about to open.
 *
 * @param {Object} given
 * @param {Object} given.mw
 * @param {Object} given.page wiki, title, revision
 * @param {Object} given.api
 * @return {boolean} whether this VisualEditor has checks
 */
function register( given ) {
	const { mw, page, api } = given, factory = mw.editcheck && mw.editcheck.editCheckFactory;
	if ( !factory ) {
		return false;
	}
	if ( !factory.lookup( NAME ) ) {
		factory.register( checkOf( mw ), NAME );
	}
	const check = factory.lookup( NAME );
	api.page( page.wiki, page.title, page.revision ).then( ( answer ) => {
		check.static.notes = answer.cards.filter( ( card ) => card.is_flagged && !card.mine && card.claim.text );
		const target = window.ve.init.target, controller = target && target.editcheckController;
		if ( controller && controller.surface ) {
			controller.refresh();
		} else if ( !mw.editcheck.Controller && check.static.notes.length ) {
			openSide( mw );
		}
	}, ( error ) => mw.log.warn( error ) );
	return true;
}

module.exports = { register };
