/**
 * Says which two revisions a diff shows, and has the notes about its edits shown above it. Nobody
 * clicks for these, so only readers who agreed to requests to the backend before get them; for others
 * nothing is loaded, and nothing sent.
 */
'use strict';

const config = require( './config.js' );
const options = require( './options.js' );
const { wikiName } = require( './current_page.js' );

const isRevision = ( value ) => Number.isInteger( value ) && value > 0;

/**
 * @param {Object} mw
 * @return {boolean} whether the reader need not be asked before a request to the backend
 */
function hasAgreed( mw ) {
	return new URL( config.backend, location.href ).host === location.host || options.load( mw ).noticed;
}

/**
 * @param {Object} mw
 * @return {{wiki: string, title: string, revision: number, since: number}|null} the newer and the older
 *  revision that are shown; null where no two revisions of an article are
 */
function shownDiff( mw ) {
	const get = ( name ) => mw.config.get( name ), ends = [ get( 'wgDiffOldId' ), get( 'wgDiffNewId' ) ];
	const isArticle = ( get( 'wgContentNamespaces' ) || [ 0 ] ).indexOf( get( 'wgNamespaceNumber' ) ) !== -1 &&
		get( 'wgAction' ) === 'view' && get( 'wgArticleId' ) > 0;
	return isArticle && ends.every( isRevision ) ? {
		wiki: wikiName( mw ),
		title: get( 'wgPageName' ).replace( /_/g, ' ' ),
		revision: Math.max( ends[ 0 ], ends[ 1 ] ),
		since: Math.min( ends[ 0 ], ends[ 1 ] )
	} : null;
}

/**
 * Show the notes above each diff that the wiki shows, one after the other where it shows several.
 *
 * @param {Object} mw
 * @param {Function} loadPanel gives a Promise of the hidden gadget
 */
function watch( mw, loadPanel ) {
	let shown = null, latest = 0;
	mw.hook( 'wikipage.diff' ).add( ( $diff ) => {
		const page = shownDiff( mw ), table = $diff && $diff[ 0 ], mine = latest += 1;
		if ( shown ) {
			shown.close();
			shown = null;
		}
		if ( !page || !table || !hasAgreed( mw ) ) {
			return;
		}
		loadPanel().then( ( gadget ) => gadget.diff( { mw: mw, page: page, before: table } ) ).then( ( notes ) => {
			if ( notes && mine !== latest ) {
				notes.close();
			} else {
				shown = notes;
			}
		} ).catch( mw.log.error );
	} );
}

module.exports = { hasAgreed: hasAgreed, shownDiff: shownDiff, watch: watch };
