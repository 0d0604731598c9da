/*!
 * Makes elements, and is the only module that does: whatever comes from a source, a wiki or the
 * backend becomes a text node or one of a few harmless attributes, so foreign text can never become
 * markup, a script or a style.
 */
'use strict';

const icons = require( './icons.js' );

const SVG = 'http://www.w3.org/2000/svg';
const ATTRIBUTES = [
	'id', 'class', 'lang', 'dir', 'title', 'role', 'type', 'tabindex', 'rel', 'target',
	'datetime', 'open', 'hidden', 'for', 'name', 'value', 'readonly', 'disabled', 'checked',
	'autocomplete', 'inputmode', 'maxlength', 'rows', 'spellcheck', 'accesskey', 'scope'
];
const PREFIXED = /^(?:aria|data)-[a-z-]+$/;
const EVENT = /^on([a-z]+)$/;
const MOST_ADDRESS = 8000;
// Wikis on the reader's own machine use plain HTTP, all others HTTPS.
const LOCAL_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
const WIKI_HOST = /^[a-z0-9.[\]:-]+$/i;
let made = 0;

/**
 * @param {string} address that somebody else wrote
 * @return {string|null} it, if a click on it can only open a page of the web
 */
function webAddress( address ) {
	if ( typeof address !== 'string' || address.length > MOST_ADDRESS ) {
		return null;
	}
	try {
		const url = new URL( address );
		return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
	} catch ( error ) {
		return null;
	}
}

/**
 * The address of a page on another wiki, of which the script knows only the host.
 *
 * @param {string} wiki host, with its port where it has one
 * @param {Object} parameters of index.php
 * @return {string} '' where that is no host
 */
function wikiAddress( wiki, parameters ) {
	if ( !WIKI_HOST.test( wiki ) ) {
		return '';
	}
	return ( LOCAL_HOST.test( wiki ) ? 'http://' : 'https://' ) + wiki + '/w/index.php?' +
		new URLSearchParams( parameters );
}

function setAttribute( element, name, value ) {
	const event = EVENT.exec( name );
	if ( event && typeof value === 'function' ) {
		element.addEventListener( event[ 1 ], value );
	} else if ( name === 'text' ) {
		element.textContent = value;
	} else if ( name === 'href' ) {
		const address = webAddress( value );
		if ( address ) {
			element.setAttribute( 'href', address );
		}
	} else if ( ATTRIBUTES.includes( name ) || PREFIXED.test( name ) ) {
		element.setAttribute( name, value === true ? '' : String( value ) );
	} else {
		throw new Error( 'No element of ours has ' + name + '.' );
	}
}

function add( element, child ) {
	if ( Array.isArray( child ) ) {
		child.forEach( ( each ) => add( element, each ) );
	} else if ( child instanceof Node ) {
		element.appendChild( child );
	} else if ( child !== null && child !== undefined && child !== false ) {
		element.appendChild( document.createTextNode( String( child ) ) );
	}
}

/**
 * @param {string} tag
 * @param {Object} [props] attributes; `text`; `on` and an event's name with a function.
 *  What is null, undefined or false is left out.
 * @param {...(Node|string|Array|null)} children
 * @return {HTMLElement}
 */
function h( tag, props, ...children ) {
	const element = document.createElement( tag );
	Object.keys( props || {} ).forEach( ( name ) => {
		const value = props[ name ];
		if ( value !== null && value !== undefined && value !== false ) {
			setAttribute( element, name, value );
		}
	} );
	add( element, children );
	return element;
}

/**
 * @param {string} name one of icons.js
 * @return {SVGElement} hidden from screen readers: words always stand beside it
 */
function icon( name ) {
	const svg = document.createElementNS( SVG, 'svg' );
	const given = { viewBox: '0 0 20 20', width: 20, height: 20, 'aria-hidden': 'true', focusable: 'false' };
	Object.keys( given ).forEach( ( each ) => svg.setAttribute( each, given[ each ] ) );
	svg.setAttribute( 'class', 'sidenote-icon' + ( icons.turned.includes( name ) ? ' sidenote-icon--turned' : '' ) );
	icons.paths[ name ].forEach( ( path ) => {
		const line = document.createElementNS( SVG, 'path' );
		line.setAttribute( 'd', path.replace( /^#/, '' ) );
		line.setAttribute( 'class', path[ 0 ] === '#' ? 'sidenote-icon__area' : 'sidenote-icon__line' );
		svg.appendChild( line );
	} );
	return svg;
}

/**
 * @param {string} text of unknown direction
 * @param {string} [lang]
 * @return {HTMLElement}
 */
function bdi( text, lang ) {
	return h( 'bdi', { lang: lang || null, text } );
}

/**
 * @param {string} text for screen readers alone
 * @return {HTMLElement}
 */
function unseen( text ) {
	return h( 'bdi', { class: 'sidenote-unseen', text } ); // does not affect a claim's direction
}

/**
 * @param {Object} given
 * @param {string|Array} [given.text] words, and nodes among them
 * @param {string} [given.icon]
 * @param {string} [given.name] for screen readers and as a tooltip, where there is no text
 * @param {string} [given.kind] 'primary', 'quiet' or none
 * @param {Object} [given.props] more attributes
 * @return {HTMLElement} a button that looks as the wiki's own
 */
function button( given ) {
	const classes = [ 'cdx-button', 'sidenote-button' ];
	if ( given.kind === 'primary' ) {
		classes.push( 'cdx-button--action-progressive', 'cdx-button--weight-primary' );
	} else if ( given.kind === 'quiet' ) {
		classes.push( 'cdx-button--weight-quiet' );
	}
	if ( !given.text ) {
		classes.push( 'cdx-button--icon-only' );
	}
	const more = Object.assign( {}, given.props );
	if ( more.class ) {
		classes.push( more.class );
	}
	const own = { type: 'button', 'aria-label': given.text ? null : given.name, title: given.name };
	return h(
		'button', Object.assign( own, more, { class: classes.join( ' ' ) } ),
		given.icon ? icon( given.icon ) : null,
		given.text ? h( 'span', { dir: 'auto' }, given.text ) : null
	);
}

/**
 * @param {string} address
 * @param {Object} props
 * @param {...(Node|string)} children
 * @return {HTMLElement} a link that opens elsewhere, or plain words where it cannot
 */
function outward( address, props, ...children ) {
	return webAddress( address ) ?
		h( 'a', Object.assign( { href: address, target: '_blank', rel: 'noopener noreferrer nofollow' }, props ), ...children ) :
		h( 'span', Object.assign( {}, props, { onclick: null } ), ...children );
}

function empty( element ) {
	while ( element.firstChild ) {
		element.removeChild( element.firstChild );
	}
	return element;
}

function replace( element, ...children ) {
	add( empty( element ), children );
	return element;
}

/**
 * @param {string} stem
 * @return {string} an id that nothing else on the page has
 */
function newId( stem ) {
	made += 1;
	return 'sidenote-' + stem + '-' + made;
}

module.exports = { h, icon, bdi, unseen, button, outward, empty, replace, newId, webAddress, wikiAddress };
