/*!
 * One suggestion as a card: what is wrong, the words, the evidence, what would fix it, how certain
 * it is, and what can be done. It depends on neither panel nor backend, so the queue shows the same
 * cards; `onAction` reports whatever a reader does.
 */
'use strict';

const { h, icon, bdi, outward, newId, replace } = require( '../page/dom.js' );
const decisions = require( './decision.js' );
const menu = require( './menu.js' );
const { ago, day, msg, words } = require( '../page/messages.js' );
const { claimOf, quotesOf, sourcesOf } = require( './quotes.js' );
const { changeOf } = require( './changes.js' );
const { reasonOf, linesOf } = require( './note.js' );
const { editWords, ranked, remedyOf } = require( './remedies.js' );
const { isNewFact, labelOf, sectionOf, updateOf } = require( './updates.js' );
const { kindOf, slug, titleWords } = require( './verdicts.js' );
const { writingOf } = require( './writing.js' );

const ID_LENGTH = 12;
const MOST_LABEL = 60;
const KNOWN = /^[0-9A-Za-z_-]+$/;

/**
 * @param {string} id a card's
 * @return {string} the id of its element
 */
function elementId( id ) {
	const short = String( id ).slice( 0, ID_LENGTH );
	return 'sidenote-card-' + ( KNOWN.test( short ) ? short : encodeURIComponent( short ).replace( /%/g, '_' ) );
}

function label( text, id ) {
	return h( 'h4', { class: 'sidenote-label', text, id } );
}

/**
 * Say how many findings like this are right if few citations fail.
 *
 * @param {Object} confidence
 * @return {string}
 */
function confidenceWords( confidence ) {
	const right = confidence.right_in_100;
	if ( right === null || right === undefined ) {
		return msg( 'confidence-unmeasured' );
	}
	const by = right % 50 === 0 ? 5 : right % 20 === 0 ? 2 : 1; // of so many tens
	return right ? msg( 'confidence-times', right / 10 / by, 10 / by ) : msg( 'confidence-rarely' );
}

// Messages: made-read-*
const ORIGINS = [ 'live', 'archive', 'open access', 'disk' ];

/** When and where the source of a quote was read, and which copy. */
function readOf( quote, source ) {
	if ( !quote.read_at || !ORIGINS.includes( quote.origin ) ) {
		return null;
	}
	return msg( 'made-read-' + slug( quote.origin ), day( quote.read_at ), source && source.host || '' );
}

function madeOf( card ) {
	const made = card.made;
	const reads = card.quotes.map( ( quote ) => readOf( quote, card.sources[ quote.source ] ) ).filter( Boolean );
	const rows = [
		...Array.from( new Set( reads ), ( words ) => [ msg( 'made-read' ), bdi( words ) ] ),
		[ msg( 'made-engine' ), bdi( ( made.engine + ' ' + made.version ).trim() ) ],
		[ msg( 'made-when' ), h( 'time', { datetime: made.checked_at, title: made.checked_at, text: day( made.checked_at ) + ' (' + ago( made.checked_at ) + ')' } ) ],
		made.revision ? [ msg( 'made-revision' ), bdi( String( made.revision ) ) ] : null
	].filter( Boolean );
	return h( 'details', { class: 'sidenote-made' },
		h( 'summary', { text: msg( 'made' ) } ),
		h( 'dl', null, rows.map( ( row ) => h( 'div', null, h( 'dt', { text: row[ 0 ] } ), h( 'dd', null, row[ 1 ] ) ) ) ),
		h( 'p', { text: msg( 'machine-made' ) } ) );
}

function entriesOf( card, act, more ) {
	const edits = ( card.mine ? ranked( card ) : [] ).map( ( edit ) => ( {
		icon: edit.kind === 'tag' ? 'tag' : 'edit', text: editWords( edit ),
		act: ( from ) => act( 'edit', edit, from )
	} ) );
	const citations = card.remedies.filter( ( remedy ) => remedy.citation ).map( ( remedy ) => ( {
		icon: 'copy', text: msg( remedy.kind === 'archived copy' ? 'copy-archived' : 'copy-citation' ),
		act: ( from ) => act( 'copy', remedy.citation, from )
	} ) );
	if ( card.update && card.update.citation ) {
		citations.push( { icon: 'copy', text: msg( 'copy-citation' ), act: ( from ) => act( 'copy', card.update.citation, from ) } );
	}
	return edits.concat( citations, more.map( ( name ) => ( {
		// Messages: menu-stop, menu-report
		icon: name, text: msg( 'menu-' + name ), act: ( from ) => act( name, null, from )
	} ) ) );
}

function evidence( card, foot ) {
	const isUpdate = card.kind === 'update', isBare = ![ 'citation', 'update' ].includes( card.kind ) && !card.quotes.length;
	return [
		writingOf( card ),
		isBare ? null : label( card.note ? words( card.note.quoted_as ) : msg( isUpdate ? 'label-newer' : 'label-source' ) ),
		card.quotes.length ?
			quotesOf( card, ( quote ) => foot.act( 'open-quote', quote ) ) :
			[
				isBare ? null : h( 'p', { class: 'sidenote-quiet', text: msg( 'quotes-none' ) } ),
				[ 'citation', 'compare' ].includes( card.kind ) ? sourcesOf( card ) : null
			],
		reasonOf( card ),
		h( 'p', { class: 'sidenote-quiet', text: card.note ? words( card.note.certainty ) : confidenceWords( card.confidence ) } ),
		linesOf( card ),
		card.remedies.length ? [
			label( msg( 'label-remedies' ) ),
			card.remedies.map( ( remedy ) => remedyOf( card, remedy, ( text, from ) => foot.act( 'copy', text, from ) ) )
		] : null,
		updateOf( card )
	];
}

/** The words of the article that a card is about, under their heading. */
function statementOf( card, diffAddress ) {
	if ( card.change ) {
		return changeOf( card, diffAddress );
	}
	if ( card.writing && card.writing.is_of_section ) {
		return [ label( msg( 'label-writing-section' ) ), sectionOf( card ) ];
	}
	if ( card.kind !== 'update' ) {
		return [ label( msg( 'label-claim' ) ), claimOf( card.claim, card.kind === 'compare' ) ];
	}
	return [ label( labelOf( card ) ), isNewFact( card ) && !card.claim.text ? sectionOf( card ) : claimOf( card.claim ) ];
}

/**
 * @param {Object} card
 * @param {Object} options
 * @param {Function} options.onAction is given name, card, detail and element; may return a
 *  Promise, whose failure the card explains
 * @param {boolean} [options.canWrite] whether there is a wiki to write on
 * @param {Function} [options.diffAddress] gives the address of a diff on its wiki
 * @param {boolean} [options.isQuick] whether its reasons to dismiss it are shown at once, each with a key
 * @param {string[]} [options.menu] what else the menu offers: 'stop', 'report'
 * @param {string} [options.page] title and link of its page, where it stands on no page
 * @return {HTMLElement}
 */
function render( card, options ) {
	const kind = kindOf( card ), title = newId( 'title' );
	const foot = decisions.create( card, options.onAction, options );
	const entries = () => entriesOf( card, foot.act, options.menu || [] );
	const subject = card.claim.text || card.title;
	return h( 'article', {
		class: 'sidenote-card sidenote-tone--' + kind + ( card.is_flagged || kind === 'compare' ? '' : ' sidenote-card--doubtful' ),
		id: elementId( card.id ), tabindex: '0', 'aria-labelledby': title
	},
	h( 'header', { class: 'sidenote-card__head' },
		icon( kind ),
		h( 'h3', { class: 'sidenote-card__title', id: title }, titleWords( card ),
			card.is_flagged || kind === 'compare' ? null : h( 'span', { class: 'sidenote-badge' }, icon( 'doubtful' ), msg( 'doubtful' ) ) ),
		entries().length ? menu.create( {
			name: msg( 'menu', subject.length > MOST_LABEL ? subject.slice( 0, MOST_LABEL ) + '…' : subject ), entries
		} ) : null ),
	options.page ? h( 'p', { class: 'sidenote-card__page' }, outward( options.page, {}, bdi( card.title ) ) ) : null,
	statementOf( card, options.diffAddress ),
	h( 'p', { class: 'sidenote-card__missing', hidden: true } ),
	evidence( card, foot ),
	foot.element,
	madeOf( card ) );
}

/**
 * Say of a card that its sentence cannot be seen on the page.
 *
 * @param {HTMLElement} element by `render`
 * @param {string|null} key of the message, or null if it can
 */
function tell( element, key ) {
	// Messages: sentence-missing, sentence-folded
	const place = element.querySelector( '.sidenote-card__missing' );
	place.hidden = !key;
	replace( place, key ? [ icon( 'info' ), h( 'span', { text: msg( key ) } ) ] : null );
}

module.exports = { render, tell, confidenceWords };
