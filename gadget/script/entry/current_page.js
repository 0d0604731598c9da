/**
 * Says which page is being viewed, as the backend knows it.
 */
'use strict';

const config = require( './config.js' );

/**
 * Return the backend's name for this wiki: its host, even if the reader is on the mobile one.
 *
 * @param {Object} mw
 * @return {string}
 */
function wikiName( mw ) {
	const names = config.wikis || {};
	const host = new URL( mw.config.get( 'wgServer' ), location.href ).host;
	return names[ mw.config.get( 'wgServerName' ) ] || names[ location.origin ] || host;
}

/**
 * Return the article and the revision that are shown.
 *
 * @param {Object} mw
 * @return {{wiki: string, title: string, revision: number, root: Element}|null} null
 *  where no article is being read: on other pages, while it is edited, or where only
 *  the difference between two revisions is shown
 */
function here( mw ) {
	const get = ( name ) => mw.config.get( name );
	const isArticle = ( get( 'wgContentNamespaces' ) || [ 0 ] ).indexOf( get( 'wgNamespaceNumber' ) ) !== -1 &&
		get( 'wgAction' ) === 'view' && get( 'wgArticleId' ) > 0 && get( 'wgRevisionId' ) > 0;
	const root = isArticle && document.querySelector( '#mw-content-text .mw-parser-output' );
	return root ? {
		wiki: wikiName( mw ),
		title: get( 'wgPageName' ).replace( /_/g, ' ' ),
		revision: get( 'wgRevisionId' ),
		root: root
	} : null;
}

module.exports = { here: here, wikiName: wikiName };
