/*!
 * Folds words to their letters and digits, so that the same words are equal however a
 * wiki's parser wrote the spaces, quotes and dashes between them.
 */
'use strict';

// Neither letters nor digits: ASCII, Latin-1, general, CJK, Arabic and full-width marks.
const LEFT_OUT = /[\0-\/:-@\[-`{-\u00A9\u00AB-\u00B1\u00B4\u00B6-\u00B8\u00BB\u00BF\u02B0-\u02FF\u0300-\u036F\u060C\u061B\u061F\u0640\u066A-\u066D\u06D4\u2000-\u206F\u20A0-\u20CF\u2190-\u22FF\u3000-\u3004\u3008-\u3020\u30FB\uFE00-\uFE0F\uFEFF\uFF00-\uFF0F\uFF1A-\uFF20\uFFFD]+/g;
const LEFT_OUT_ONE = new RegExp( LEFT_OUT.source );

/**
 * @param {string} text
 * @return {string} its letters and digits; where length counts, see rawOffset
 */
function folded( text ) {
	const kept = text.replace( LEFT_OUT, '' );
	const lower = kept.toLowerCase();
	return lower.length === kept.length ? lower : kept;
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

module.exports = { LEFT_OUT, folded, rawOffset };
