/*!
 * What a note about newer facts adds: how well it is supported, the fact in plain words, a proposed
 * wording as a change, and how it was found. What a search left out is listed at the end of the
 * panel, each with the reason.
 */
'use strict';

const { h, bdi, outward } = require( '../page/dom.js' );
const { ago, msg, words } = require( '../page/messages.js' );
const { slug } = require( './verdicts.js' );

const PIECE = /<ref\b[^<>]*\/>|<ref\b[^<>]*>[\s\S]*?<\/ref\s*>|\s+|[^\s<]+|</g;
const MOST_CELLS = 160000; // of the table; beyond that, all of it is replaced at once
// Messages: ignored-*
const IGNORED = [
	'it-is-not-about-the-subject-of-the-article', 'it-is-older-or-newer-than-the-days-asked-for',
	'nothing-tells-when-it-was-written', 'it-is-an-opinion', 'it-is-advertising',
	'it-is-speculation-or-a-plan-that-may-change', 'it-is-too-small-for-the-article',
	'the-article-has-a-newer-figure', 'the-page-is-a-copy-of-the-article-or-of-a-wiki',
	'the-wiki-does-not-accept-the-site', 'the-source-does-not-bear-the-statement-out',
	'sources-disagree'
];

function isNewFact( card ) {
	return Boolean( card.update ) && card.update.kind !== 'outdated statement';
}

/**
 * @param {Object} card
 * @return {string} the heading over the article's words
 */
function labelOf( card ) {
	if ( isNewFact( card ) ) {
		return msg( card.claim.text ? 'label-behind' : 'label-section' );
	}
	return msg( 'label-old' );
}

/**
 * @param {Object} card of a new fact whose section says nothing yet
 * @return {HTMLElement} the name of the section
 */
function sectionOf( card ) {
	const path = card.claim.section;
	return h( 'p', { class: 'sidenote-claim', dir: 'auto', text: path.length ? path.join( ' › ' ) : card.title } );
}

function piecesOf( text ) {
	return text.match( PIECE ) || [];
}

/**
 * @param {string[]} old
 * @param {string[]} now
 * @return {number[][]} how many pieces the ends from each place on have in common
 */
function tableOf( old, now ) {
	const table = old.map( () => [] ).concat( [ new Array( now.length + 1 ).fill( 0 ) ] );
	for ( let at = old.length - 1; at >= 0; at-- ) {
		table[ at ][ now.length ] = 0;
		for ( let to = now.length - 1; to >= 0; to-- ) {
			table[ at ][ to ] = old[ at ] === now[ to ] ? table[ at + 1 ][ to + 1 ] + 1 :
				Math.max( table[ at + 1 ][ to ], table[ at ][ to + 1 ] );
		}
	}
	return table;
}

/**
 * @param {string[]} old
 * @param {string[]} now
 * @return {Object[]} runs of pieces: what stays, and what goes with what comes instead
 */
function runsOf( old, now ) {
	const table = tableOf( old, now ), runs = [];
	const add = ( stays, goes, comes ) => {
		let last = runs[ runs.length - 1 ];
		if ( !last || Boolean( last.stays.length ) !== Boolean( stays.length ) ) {
			last = { stays: [], goes: [], comes: [] };
			runs.push( last );
		}
		last.stays.push( ...stays );
		last.goes.push( ...goes );
		last.comes.push( ...comes );
	};
	let at = 0, to = 0;
	while ( at < old.length || to < now.length ) {
		if ( at < old.length && to < now.length && old[ at ] === now[ to ] ) {
			add( [ old[ at++ ] ], [], [] );
			to++;
		} else if ( to === now.length || ( at < old.length && table[ at + 1 ][ to ] >= table[ at ][ to + 1 ] ) ) {
			add( [], [ old[ at++ ] ], [] );
		} else {
			add( [], [], [ now[ to++ ] ] );
		}
	}
	return runs;
}

function joined( runs ) {
	// A space between two changed words changes with them.
	const found = [];
	runs.forEach( ( run, index ) => {
		const last = found[ found.length - 1 ];
		const isBlank = run.stays.length && !run.stays.join( '' ).trim();
		if ( isBlank && last && index + 1 < runs.length ) {
			last.goes.push( ...run.stays );
			last.comes.push( ...run.stays );
		} else if ( last && !last.stays.length && !run.stays.length ) {
			last.goes.push( ...run.goes );
			last.comes.push( ...run.comes );
		} else {
			found.push( run );
		}
	} );
	return found;
}

function shown( pieces ) {
	return pieces.map( ( piece ) => {
		const title = /^<ref\b/.test( piece ) && /\|\s*title\s*=\s*([^|{}]*)/.exec( piece );
		return title ? '<ref>' + title[ 1 ].trim() + '</ref>' : piece;
	} ).join( '' );
}

/**
 * A proposed wording as a person reads it, with a footnote as one piece. The text filled into the
 * editor does not depend on it.
 *
 * @param {Object} edit
 * @return {Array} what is on its lines, with what goes and comes marked
 */
function changesOf( edit ) {
	const before = edit.before.replace( /^[\s\S]*\n/, '' ), after = edit.after.replace( /\n[\s\S]*$/, '' );
	const old = piecesOf( before + edit.old + after ), now = piecesOf( before + edit.new + after );
	if ( old.length * now.length > MOST_CELLS ) {
		return [ before, h( 'del', { text: edit.old } ), h( 'ins', { text: edit.new } ), after ];
	}
	return joined( runsOf( old, now ) ).map( ( run ) => [
		shown( run.stays ),
		run.goes.length ? h( 'del', { text: shown( run.goes ) } ) : null,
		run.comes.length ? h( 'ins', { text: shown( run.comes ) } ) : null
	] );
}

function wordingOf( card ) {
	const edit = card.edits.filter( ( each ) => each.kind === 'wording' )[ 0 ];
	return edit ? [
		h( 'h4', { class: 'sidenote-label', text: msg( 'label-wording' ) } ),
		h( 'p', { class: 'sidenote-wording', dir: 'auto' }, changesOf( edit ) ),
		h( 'p', { class: 'sidenote-quiet', text: msg( 'wording-check' ) } )
	] : null;
}

function stepOf( step ) {
	return h( 'li', null,
		h( 'span', { lang: 'en', dir: 'auto', text: step.what } ),
		step.href ? [ ' ', outward( step.href, {}, bdi( step.href.replace( /^https?:\/\/([^/]+).*$/, '$1' ) ) ) ] : null,
		step.quote ? h( 'q', { class: 'sidenote-step__quote', dir: 'auto', text: step.quote } ) : null );
}

/**
 * @param {Object} card
 * @return {Array|null} what stands behind the quotes of a note about newer facts
 */
function updateOf( card ) {
	const update = card.update;
	if ( !update ) {
		return null;
	}
	return [
		card.note ? card.note.lines.map( ( line ) => h( 'p', { class: 'sidenote-backing', text: words( line ) } ) ) : null,
		update.fact ? [
			h( 'h4', { class: 'sidenote-label', text: msg( update.is_worded ? 'label-fact-worded' : 'label-fact' ) } ),
			h( 'p', { class: 'sidenote-claim', dir: 'auto', text: update.fact } )
		] : null,
		wordingOf( card ),
		update.why.length ? h( 'details', { class: 'sidenote-why' },
			h( 'summary', { text: msg( 'why-found' ) } ),
			h( 'ol', { class: 'sidenote-why__steps' }, update.why.map( stepOf ) ) ) : null
	];
}

function leftOutOf( each ) {
	const why = slug( each.why ).replace( /-$/, '' );
	return h( 'li', { class: 'sidenote-unchecked__item' },
		h( 'q', { dir: 'auto', text: each.quote } ),
		h( 'p', { class: 'sidenote-quiet' },
			msg( 'ignored-' + ( IGNORED.includes( why ) ? why : 'other' ) ),
			each.href ? [ ' · ', outward( each.href, {}, bdi( each.href.replace( /^https?:\/\/([^/]+).*$/, '$1' ) ) ) ] : null ) );
}

/**
 * @param {Object|null} searched the last search for newer facts
 * @return {HTMLElement|null}
 */
function searchedOf( searched ) {
	if ( !searched ) {
		return null;
	}
	const read = msg( 'searched', ago( searched.at ), searched.pages );
	const all = searched.passed_over;
	if ( !all.length ) {
		return h( 'p', { class: 'sidenote-quiet', text: read } );
	}
	const list = h( 'ul', { class: 'sidenote-unchecked__list' } );
	const fill = () => {
		if ( !list.firstChild ) {
			all.forEach( ( each ) => list.appendChild( leftOutOf( each ) ) );
		}
	};
	return h( 'details', { class: 'sidenote-unchecked', ontoggle: fill },
		h( 'summary', { text: read + ' ' + msg( 'searched-left-out', all.length ) } ), list );
}

module.exports = { isNewFact, labelOf, sectionOf, updateOf, searchedOf };
