/*!
 * A proposed wording as a person reads it: the words removed and added, one by one, with a footnote
 * as one piece. The text filled into the editor does not depend on it.
 */
'use strict';

const { h } = require( '../page/dom.js' );

const PIECE = /<ref\b[^<>]*\/>|<ref\b[^<>]*>[\s\S]*?<\/ref\s*>|\s+|[^\s<]+|</g;
const MOST_CELLS = 160000; // of the table; beyond that, all of it is replaced at once

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

module.exports = { changesOf };
