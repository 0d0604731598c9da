/*!
 * Which pages this script opens for editing. Titles come from the notes server, and what is opened
 * acts in the reader's session: the preview of a user script, for one, runs it. So the wiki is asked
 * what a title stands for, and only an article in wikitext is opened, whatever the server says.
 */
'use strict';

const { Failure } = require( './failure.js' );
const { msg } = require( '../page/messages.js' );

const SEVERAL = /[|\u001F]/; // what separates titles in a query
const WIKITEXT = 'wikitext';

/**
 * @param {Object} mw
 * @param {string} title
 * @return {Promise<Object|null>} title, pageid, contentmodel, … as the wiki has them, or missing; null
 *  where it is no title of this wiki, or the wiki does not say
 */
function pageOf( mw, title ) {
	if ( typeof title !== 'string' || !title || SEVERAL.test( title ) ) {
		return Promise.resolve( null );
	}
	return Promise.resolve( mw.loader.using( 'mediawiki.api' ) ).then( () => new Promise( ( resolve ) => {
		new mw.Api().get( { action: 'query', titles: title, prop: 'info', formatversion: 2 } ).then( ( answer ) => {
			const pages = answer && answer.query && answer.query.pages || [];
			const isOne = pages.length === 1 && !pages[ 0 ].invalid && !pages[ 0 ].special;
			resolve( isOne ? pages[ 0 ] : null );
		}, () => resolve( null ) );
	} ), () => null );
}

/**
 * @param {Object} mw
 * @param {string} title
 * @return {Promise<Object>} title and pageid of the article; rejected where it is none
 */
function articleOf( mw, title ) {
	return pageOf( mw, title ).then( ( page ) => {
		const namespaces = mw.config.get( 'wgContentNamespaces' ) || [ 0 ];
		if ( !page || page.missing || !namespaces.includes( page.ns ) || page.contentmodel !== WIKITEXT ) {
			throw new Failure( 'refused', { code: 'no-article', text: msg( 'edit-no-article' ) } );
		}
		return page;
	} );
}

/**
 * @param {*} section that the server named
 * @return {boolean} whether it is the number of a section of the page itself
 */
function isSection( section ) {
	return Number.isInteger( section ) && section >= 0;
}

module.exports = { articleOf, isSection, pageOf, WIKITEXT };
