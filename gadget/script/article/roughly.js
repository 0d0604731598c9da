/*!
 * Finds a claim in an article where a template inserted other words: the place where most of the
 * claim's three-word shingles are in the claim's order.
 */
'use strict';

const { LEFT_OUT, folded } = require( './folding.js' );

const SHINGLE = 3; // words
const LEAST_WORDS = 4;
const LEAST_SHARE = 0.5; // of a claim's shingles that have to be there
const MOST_INSERTED = 25; // words that templates may have put into a claim
const MOST_PLACES = 200; // of one shingle

/** Words of the article with their places, and where each three of them begin. */
function wordsOf( indexed ) {
	if ( indexed.words ) {
		return indexed.words;
	}
	const texts = [], at = [], ends = [], shingles = new Map();
	indexed.nodes.forEach( ( node, place ) => {
		let offset = indexed.starts[ place ];
		node.data.split( LEFT_OUT ).forEach( ( word ) => {
			if ( word ) {
				texts.push( folded( word ) );
				at.push( offset );
				offset += word.length;
				ends.push( offset );
			}
		} );
	} );
	for ( let first = 0; first + SHINGLE <= texts.length; first++ ) {
		const key = texts.slice( first, first + SHINGLE ).join( ' ' );
		if ( !shingles.has( key ) ) {
			shingles.set( key, [] );
		}
		shingles.get( key ).push( first );
	}
	indexed.words = { at, ends, shingles };
	return indexed.words;
}

/** The places in the article of a claim's shingles, in the article's order. */
function hits( words, own ) {
	const found = [];
	for ( let first = 0; first + SHINGLE <= own.length; first++ ) {
		( words.shingles.get( own.slice( first, first + SHINGLE ).join( ' ' ) ) || [] )
			.slice( 0, MOST_PLACES )
			.forEach( ( at ) => found.push( { at, first } ) );
	}
	return found.sort( ( one, other ) => one.at - other.at );
}

/**
 * Where most of the words are in order, with others in between.
 *
 * @param {Object} indexed
 * @param {string} text
 * @return {number[]|null} start and end in the folded text
 */
function roughly( indexed, text ) {
	const own = text.split( LEFT_OUT ).filter( Boolean ).map( folded );
	if ( own.length < LEAST_WORDS ) {
		return null;
	}
	const words = wordsOf( indexed ), found = hits( words, own );
	let best = null;
	for ( let from = 0; from < found.length; from++ ) {
		if ( from && found[ from ].at - found[ from ].first === found[ from - 1 ].at - found[ from - 1 ].first ) {
			continue; // what begins one earlier reaches as far
		}
		const run = [ found[ from ] ];
		for ( let next = from + 1; next < found.length; next++ ) {
			const last = run[ run.length - 1 ];
			if ( found[ next ].at - found[ from ].at > own.length + MOST_INSERTED ) {
				break;
			}
			if ( found[ next ].first > last.first && found[ next ].at > last.at ) {
				run.push( found[ next ] );
			}
		}
		if ( !best || run.length > best.length ) {
			best = run;
		}
	}
	if ( !best || best.length < LEAST_SHARE * ( own.length - SHINGLE + 1 ) ) {
		return null;
	}
	const last = best[ best.length - 1 ];
	const start = Math.max( best[ 0 ].at - best[ 0 ].first, 0 );
	const end = Math.min( last.at + own.length - last.first, words.at.length ) - 1;
	return [ words.at[ best[ 0 ].first <= 2 ? start : best[ 0 ].at ], words.ends[ last.first >= own.length - SHINGLE - 2 ? end : last.at + SHINGLE - 1 ] ];
}

module.exports = { roughly };
