/**
 * Texts, numbers and dates in the reader's language.
 *
 * Every message is ours, in `bot/i18n`, and is put into `mw.messages`, where a wiki's own script
 * may already have set it. {{PLURAL:}} is handled here, so that it works without jqueryMsg, and the
 * value of $1 is never parsed as wikitext or as a message.
 */
'use strict';

const texts = require( './i18n.js' );

const PREFIX = 'sidenote-';
const SOURCE = 'en';
const SHOW_KEYS = 'qqx';
// The fallbacks of untranslated languages, as in MediaWiki.
const NEAREST = {
	aeb: 'ar', an: 'es', arn: 'es', ary: 'ar', arz: 'ar', ast: 'es', ay: 'es', bar: 'de',
	bm: 'fr', br: 'fr', co: 'fr', dsb: 'de', ff: 'fr', frc: 'fr', frp: 'fr', frr: 'de',
	gcr: 'fr', gn: 'es', gsw: 'de', hsb: 'de', ht: 'fr', ksh: 'de', kw: 'en', lb: 'de',
	ln: 'fr', nah: 'es', nds: 'de', oc: 'fr', pcd: 'fr', pdc: 'de', pdt: 'de', pfl: 'de',
	qu: 'es', sg: 'fr', sgs: 'en', stq: 'de', ty: 'fr', vmf: 'de', wa: 'fr', wo: 'fr'
};
const FORMS = [ 'zero', 'one', 'two', 'few', 'many', 'other' ];
const FROM_RIGHT = /^(?:ar|arc|ckb|dv|fa|he|ks|ps|sd|ug|ur|yi)(?:-|$)/;
const RIGHTWARD = /[A-Za-z\u00C0-\u02B8\u0370-\u0589\u0900-\u1FFF\u2C00-\uD7FF]/;
const LEFTWARD = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/;
const UNITS = [
	[ 'year', 31557600 ], [ 'month', 2629800 ], [ 'day', 86400 ], [ 'hour', 3600 ],
	[ 'minute', 60 ]
];
const made = {};

/**
 * Say which of our languages are tried for one of the wiki's, the best first.
 *
 * @param {string} language
 * @return {string[]}
 */
function chain( language ) {
	const parts = language.toLowerCase().split( '-' );
	const found = parts.map( function ( part, index ) {
		return parts.slice( 0, parts.length - index ).join( '-' );
	} );
	if ( NEAREST[ parts[ 0 ] ] ) {
		found.push( NEAREST[ parts[ 0 ] ] );
	}
	return found.concat( SOURCE ).filter( function ( each ) {
		return Object.prototype.hasOwnProperty.call( texts, each );
	} );
}

/**
 * Find a message, and the language it is in.
 *
 * @param {string} key
 * @param {string} language
 * @return {{text: string, language: string}|null}
 */
function find( key, language ) {
	const where = chain( language ).filter( function ( each ) {
		return Object.prototype.hasOwnProperty.call( texts[ each ], key );
	} )[ 0 ];
	return where ? { text: texts[ where ][ key ], language: where } : null;
}

function userLanguage() {
	return mw.config.get( 'wgUserLanguage' ) || SOURCE;
}

/**
 * Return a formatter for a language, made once because that takes time.
 *
 * @param {string} name of a constructor of Intl
 * @param {string} language
 * @param {Object} [options]
 * @return {Object}
 */
function intl( name, language, options ) {
	const known = name + language + JSON.stringify( options || {} );
	if ( !made[ known ] ) {
		try {
			made[ known ] = new Intl[ name ]( language, options );
		} catch ( error ) {
			// MediaWiki has codes that are in no standard.
			made[ known ] = new Intl[ name ]( chain( language )[ 0 ], options );
		}
	}
	return made[ known ];
}

/**
 * Say in which language numbers and dates are written: that of the words around them,
 * as the reader's own country writes it.
 *
 * @return {string}
 */
function locale() {
	const wanted = userLanguage(), own = chain( wanted )[ 0 ];
	return wanted.toLowerCase().split( '-' )[ 0 ] === own ? wanted : own;
}

function plural( count, forms, language ) {
	const exact = forms.filter( function ( form ) {
		return form.indexOf( count + '=' ) === 0;
	} )[ 0 ];
	if ( exact ) {
		return exact.slice( exact.indexOf( '=' ) + 1 );
	}
	const plain = forms.filter( function ( form ) {
		return !/^\d+=/.test( form );
	} );
	const rules = intl( 'PluralRules', language );
	const has = FORMS.filter( function ( form ) {
		return rules.resolvedOptions().pluralCategories.indexOf( form ) !== -1;
	} );
	const at = has.indexOf( rules.select( Math.abs( count ) ) );
	return plain[ Math.min( at, plain.length - 1 ) ] || '';
}

/**
 * Keep a value with another text direction from affecting the words around it.
 *
 * @param {string} value
 * @param {string} language of the words around it
 * @return {string}
 */
function isolated( value, language ) {
	const other = FROM_RIGHT.test( language ) ? RIGHTWARD : LEFTWARD;
	return other.test( value ) ? '\u2068' + value + '\u2069' : value;
}

/**
 * Write a number as the reader's language does.
 *
 * @param {number} value
 * @return {string}
 */
function number( value ) {
	return intl( 'NumberFormat', locale() ).format( value );
}

/**
 * Fill in a message. The values are not parsed again.
 *
 * @param {{text: string, language: string}} found
 * @param {Array} values
 * @param {function(*):string} shown writes a value
 * @return {string}
 */
function filled( found, values, shown ) {
	const chosen = found.text.replace(
		/\{\{PLURAL:\$(\d)\|([^{}]*)\}\}/g,
		function ( whole, place, forms ) {
			return plural( Number( values[ place - 1 ] ), forms.split( '|' ), found.language );
		}
	);
	return chosen.replace( /\$(\d)/g, function ( whole, place ) {
		return place - 1 in values ? shown( values[ place - 1 ] ) : whole;
	} );
}

/**
 * Return a message in the reader's language.
 *
 * @param {string} key without its prefix
 * @param {...(string|number)} values for $1, $2 …; numbers are written as numbers
 * @return {string}
 */
function msg( key, ...values ) {
	const language = userLanguage();
	const found = language === SHOW_KEYS ? null : find( key, language );
	if ( !found ) {
		const rest = values.length ? ': ' + values.join( ', ' ) : '';
		return '(' + PREFIX + key + rest + ')';
	}
	const replaced = mw.messages.get( PREFIX + key );
	const text = typeof replaced === 'string' ? replaced : found.text;
	return filled( { text: text, language: found.language }, values, function ( value ) {
		return typeof value === 'number' ? number( value ) :
			isolated( String( value ), found.language );
	} );
}

/**
 * Return whether there is a message with this key.
 *
 * @param {string} key without its prefix
 * @return {boolean}
 */
function known( key ) {
	return Boolean( find( key, SOURCE ) );
}

/**
 * Return the words of a message that the backend made: by its key in the reader's language, or its
 * English text where this script does not have it.
 *
 * @param {Object} message key, english and values
 * @return {string}
 */
function words( message ) {
	if ( message.key && known( message.key ) ) {
		return msg( message.key, ...message.values );
	}
	return filled( { text: message.english, language: SOURCE }, message.values, String );
}

/**
 * Return a message in the language of the wiki's content, for what is saved there.
 *
 * @param {string} key without its prefix
 * @param {...(string|number)} values
 * @return {string}
 */
function content( key, ...values ) {
	const language = mw.config.get( 'wgContentLanguage' ) || SOURCE;
	return filled( find( key, language ) || { text: '', language: SOURCE }, values, String );
}

/**
 * Return whether a text is a message and nothing else, in one of our languages.
 *
 * @param {string} key without its prefix
 * @param {*} text
 * @param {Array<string|RegExp>} values for $1, $2 …: the value itself, or what it looks like
 * @return {boolean}
 */
function isWritten( key, text, values ) {
	const literal = ( words ) => words.replace( /[.*+?^${}()|[\]\\]/g, '\\$&' );
	return typeof text === 'string' && Object.keys( texts ).some( ( language ) => {
		const parts = ( texts[ language ][ key ] || '' ).split( /\$(\d)/ );
		const pattern = parts.map( ( part, place ) => {
			const value = place % 2 ? values[ part - 1 ] : part;
			return typeof value === 'string' ? literal( value ) : value.source;
		} ).join( '' );
		return parts.length > 1 && new RegExp( '^' + pattern + '$' ).test( text );
	} );
}

/**
 * Return the words of a message that the backend made in the language of the wiki's content, or its
 * English text where this script does not have it.
 *
 * @param {Object} message key, english and values
 * @return {string}
 */
function contentWords( message ) {
	return content( message.key, ...message.values ) ||
		filled( { text: message.english, language: SOURCE }, message.values, String );
}

/**
 * Put all messages into `mw.messages`, except those that the wiki has set.
 */
function load() {
	const language = userLanguage();
	Object.keys( texts[ SOURCE ] || {} ).forEach( function ( key ) {
		if ( !mw.messages.exists( PREFIX + key ) ) {
			mw.messages.set( PREFIX + key, find( key, language ).text );
		}
	} );
}

/**
 * Format a date as precisely as it is known: a year, a month or a day.
 *
 * @param {string} iso such as `2024`, `2024-05`, `2024-05-03` or a point in time (UTC)
 * @return {string} what was given, if it is no date
 */
function day( iso ) {
	const parts = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?/.exec( iso );
	const at = parts ? Date.UTC( parts[ 1 ], ( parts[ 2 ] || 1 ) - 1, parts[ 3 ] || 1 ) : NaN;
	if ( isNaN( at ) ) {
		return iso;
	}
	const options = { timeZone: 'UTC', year: 'numeric' };
	if ( parts[ 2 ] ) {
		options.month = 'long';
	}
	if ( parts[ 3 ] ) {
		options.day = 'numeric';
	}
	return intl( 'DateTimeFormat', locale(), options ).format( at );
}

/**
 * Format a point in time in the reader's own time zone, which is named.
 *
 * @param {string} iso
 * @return {string} what was given, if it is no time
 */
function moment( iso ) {
	const at = Date.parse( iso );
	return isNaN( at ) ? String( iso ) : intl( 'DateTimeFormat', locale(), {
		year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit',
		timeZoneName: 'short'
	} ).format( at );
}

/**
 * Write how long ago something was, in the largest unit that fits.
 *
 * @param {string} iso a point in time
 * @return {string} the day, where the browser cannot say it; what was given, if it is no time
 */
function ago( iso ) {
	const passedS = ( Date.now() - Date.parse( iso ) ) / 1000;
	if ( isNaN( passedS ) || !Intl.RelativeTimeFormat ) {
		return day( iso );
	}
	const writer = intl( 'RelativeTimeFormat', locale(), { numeric: 'auto' } );
	const unit = UNITS.filter( function ( each ) {
		return Math.abs( passedS ) >= each[ 1 ];
	} )[ 0 ] || [ 'second', Infinity ];
	return writer.format( -Math.floor( passedS / unit[ 1 ] ) || 0, unit[ 0 ] );
}

/**
 * Say which of our languages the reader's words are in, for `lang` and `dir`.
 *
 * @return {{lang: string, dir: string}}
 */
function written() {
	const language = chain( userLanguage() )[ 0 ] || SOURCE;
	return { lang: language, dir: FROM_RIGHT.test( language ) ? 'rtl' : 'ltr' };
}

module.exports = {
	known: known, msg: msg, words: words, isWritten: isWritten, content: content, contentWords: contentWords, load: load,
	number: number, day: day, moment: moment, ago: ago, written: written
};
