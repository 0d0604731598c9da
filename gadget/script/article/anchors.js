/*!
 * Finds a claim's words in the article that the reader sees. Both sides are folded to their letters
 * and digits, since a wiki's parser changes quotes, spaces and dashes; where templates insert words
 * that the claim does not have, the same order of words counts. The article is read once, however
 * many claims are searched for.
 */
'use strict';

const OPENING = /[$€£¥₹₽₩₺#±+−~"'“„«‘‹¿¡([]/; // as in $300, +4 or “so
const CLOSING = /[.,;:!?…"'”’»›)\]%‰°€$£¥]/;
const SKIPPED_TAGS = [ 'STYLE', 'SCRIPT', 'NOSCRIPT', 'TEMPLATE', 'TEXTAREA', 'SELECT', 'SVG', 'AUDIO', 'VIDEO', 'RP', 'RT' ];
const SKIPPED_CLASSES = [
	'reference', 'references', 'mw-references-wrap', 'reflist', 'mw-editsection', 'noprint',
	'mw-cite-backlink', 'navbox', 'toc', 'mw-empty-elt', 'mwe-math-mathml-a11y', 'sidenote-panel'
];
const INLINE = [ 'A', 'ABBR', 'B', 'EM', 'I', 'SPAN', 'STRONG', 'SUB', 'SUP' ];
const NOT_SHOWN = /display\s*:\s*none/;
const ROW = /^[^:;]+: .*; [^:;]+: /; // of a table: header and cell, header and cell
const LEAST_ROW = 8; // letters
const HEADING = /^H[1-6]$/;
const MOST_PLACES = 200; // of the same words
const SHINGLE = 3; // words
const LEAST_WORDS = 4;
const LEAST_SHARE = 0.5; // of a claim's shingles that have to be there
const MOST_INSERTED = 25; // words that templates may have put into a claim

// Neither letters nor digits: ASCII, Latin-1, general, CJK, Arabic and full-width marks.
const LEFT_OUT = /[\0-\/:-@\[-`{-\u00A9\u00AB-\u00B1\u00B4\u00B6-\u00B8\u00BB\u00BF\u02B0-\u02FF\u0300-\u036F\u060C\u061B\u061F\u0640\u066A-\u066D\u06D4\u2000-\u206F\u20A0-\u20CF\u2190-\u22FF\u3000-\u3004\u3008-\u3020\u30FB\uFE00-\uFE0F\uFEFF\uFF00-\uFF0F\uFF1A-\uFF20\uFFFD]+/g;
const LEFT_OUT_ONE = new RegExp( LEFT_OUT.source );

/**
 * @param {string} text
 * @return {string} its letters and digits; where length counts, see rawOffset
 */
function folded( text ) {
	const letters = text.replace( LEFT_OUT, '' );
	const lower = letters.toLowerCase();
	return lower.length === letters.length ? lower : letters;
}

/** The offset in a node's own text of its letter number `wanted`. */
function rawOffset( data, wanted ) {
	let left = wanted;
	for ( let at = 0; at < data.length; at++ ) {
		if ( !LEFT_OUT_ONE.test( data[ at ] ) ) {
			if ( left === 0 ) {
				return at;
			}
			left -= 1;
		}
	}
	return data.length;
}

function isSkipped( element ) {
	if ( SKIPPED_TAGS.includes( element.nodeName.toUpperCase() ) || element.hidden ) {
		return true;
	}
	const names = element.classList;
	if ( names && names.length && SKIPPED_CLASSES.some( ( name ) => names.contains( name ) ) ) {
		return true;
	}
	return NOT_SHOWN.test( element.getAttribute( 'style' ) || '' );
}

/**
 * Read the article once.
 *
 * @param {HTMLElement} root
 * @return {Object} for `find`
 */
function index( root ) {
	const nodes = [], starts = [], chunks = [], headings = [];
	let length = 0;
	const path = [];

	function heading( element ) {
		const level = Number( element.nodeName[ 1 ] );
		path.length = Math.min( path.length, level );
		path[ level ] = folded( element.textContent );
		headings.push( { at: length, path: path.filter( Boolean ) } );
	}

	function read( element ) {
		for ( let node = element.firstChild; node; node = node.nextSibling ) {
			if ( node.nodeType === Node.TEXT_NODE ) {
				const text = folded( node.data );
				if ( text ) {
					nodes.push( node );
					starts.push( length );
					chunks.push( text );
					length += text.length;
				}
			} else if ( node.nodeType === Node.ELEMENT_NODE && !isSkipped( node ) ) {
				if ( HEADING.test( node.nodeName ) ) {
					heading( node );
				}
				read( node );
			}
		}
	}

	read( root );
	return { nodes, starts, headings, text: chunks.join( '' ), words: null };
}

/** The index in `starts` of the last one that is not after `offset`. */
function placeOf( starts, offset ) {
	let low = 0, high = starts.length - 1;
	while ( low < high ) {
		const middle = ( low + high + 1 ) >> 1;
		if ( starts[ middle ] <= offset ) {
			low = middle;
		} else {
			high = middle - 1;
		}
	}
	return low;
}

/** The text after a link or bold words that begins with the end of a sentence. */
function markBehind( node ) {
	let last = node;
	while ( !last.nextSibling && INLINE.includes( last.parentNode.nodeName ) ) {
		last = last.parentNode;
	}
	const next = last.nextSibling;
	return next && next.nodeType === Node.TEXT_NODE && CLOSING.test( next.data[ 0 ] || '' ) ? next : null;
}

/**
 * @param {Object} indexed
 * @param {number} start in the folded text
 * @param {number} end
 * @return {Range}
 */
function rangeOf( indexed, start, end ) {
	const range = document.createRange();
	const first = placeOf( indexed.starts, start );
	const last = placeOf( indexed.starts, end - 1 );
	const data = indexed.nodes[ last ].data;
	let behind = rawOffset( data, end - 1 - indexed.starts[ last ] ) + 1;
	while ( behind < data.length && CLOSING.test( data[ behind ] ) ) {
		behind += 1;
	}
	const mark = behind === data.length ? markBehind( indexed.nodes[ last ] ) : null;
	const before = indexed.nodes[ first ].data;
	let from = rawOffset( before, start - indexed.starts[ first ] );
	while ( from && OPENING.test( before[ from - 1 ] ) ) {
		from -= 1;
	}
	range.setStart( indexed.nodes[ first ], from );
	if ( mark ) {
		range.setEnd( mark, 1 );
	} else {
		range.setEnd( indexed.nodes[ last ], behind );
	}
	return range;
}

function isIn( indexed, offset, section ) {
	const before = indexed.headings.filter( ( each ) => each.at <= offset );
	const path = before.length ? before[ before.length - 1 ].path : [];
	return section.length ?
		path[ path.length - 1 ] === folded( section[ section.length - 1 ] ) :
		!path.length;
}

function places( text, wanted ) {
	const found = [];
	for ( let at = text.indexOf( wanted ); at >= 0 && found.length < MOST_PLACES; at = text.indexOf( wanted, at + wanted.length ) ) {
		found.push( at );
	}
	return found;
}

/** The right place, of several with the same words. */
function chosen( indexed, found, claim ) {
	const counted = found[ Math.min( claim.occurrence || 0, found.length - 1 ) ];
	const section = claim.section || [];
	if ( found.length < 2 || isIn( indexed, counted, section ) ) {
		return counted;
	}
	const inside = found.filter( ( at ) => isIn( indexed, at, section ) );
	return inside.length ? inside[ 0 ] : counted;
}

function exactly( indexed, claim ) {
	const text = folded( claim.text ), sentence = folded( claim.sentence || '' );
	if ( sentence && sentence !== text ) {
		const whole = places( indexed.text, sentence );
		if ( whole.length ) {
			const at = chosen( indexed, whole, claim );
			const within = Math.max( sentence.indexOf( text ), 0 );
			return [ at + within, at + ( text && sentence.includes( text ) ? within + text.length : sentence.length ) ];
		}
	}
	const found = text ? places( indexed.text, text ) : [];
	if ( !found.length ) {
		return null;
	}
	const at = chosen( indexed, found, claim );
	return [ at, at + text.length ];
}

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

/** The cells of a table's row, without those that span the rows above it. */
function rowwise( indexed, claim ) {
	if ( !ROW.test( claim.text ) ) {
		return null;
	}
	let cells = claim.text.split( '; ' ).map( ( cell ) => folded( cell.slice( cell.indexOf( ': ' ) + 1 ) ) );
	for ( ; cells.length; cells = cells.slice( 1 ) ) {
		const words = cells.join( '' ), found = words.length < LEAST_ROW ? [] : places( indexed.text, words );
		if ( found.length ) {
			const at = chosen( indexed, found, claim );
			return [ at, at + words.length ];
		}
	}
	return null;
}

/**
 * @param {Object} indexed by `index`
 * @param {Object} claim with text, sentence, section and occurrence
 * @return {Range|null} null where the article does not have the words
 */
function find( indexed, claim ) {
	if ( !indexed.nodes.length ) {
		return null;
	}
	const found = exactly( indexed, claim ) || rowwise( indexed, claim ) || roughly( indexed, claim.text ) ||
		( claim.sentence ? roughly( indexed, claim.sentence ) : null );
	return found && found[ 0 ] < found[ 1 ] ? rangeOf( indexed, found[ 0 ], found[ 1 ] ) : null;
}

module.exports = { index, find };
