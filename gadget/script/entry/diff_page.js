/**
 * Says which two revisions a diff shows, and has the notes about its edits shown above it: when the
 * reader opens the notes there, or at once for those who chose that. For others nothing is loaded, and
 * nothing sent.
 */
'use strict';

const options = require( './options.js' );
const { wikiName } = require( './current_page.js' );

const isRevision = ( value ) => Number.isInteger( value ) && value > 0;

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
 * @param {Object} mw
 * @param {Function} loadPanel gives a Promise of the hidden gadget
 * @return {Object} show(), for the diff that is shown now, if there is one
 */
function watch( mw, loadPanel ) {
	let current = null; // the wiki can show one diff after the other on a page

	function show() {
		const mine = current;
		if ( !mine || mine.notes ) {
			return;
		}
		mine.notes = loadPanel()
			.then( ( gadget ) => gadget.diff( { mw: mw, page: mine.page, before: mine.table } ) )
			.then( ( notes ) => {
				if ( notes && mine !== current ) {
					notes.close();
				}
				mine.notes = notes ? mine.notes : null; // the reader may agree later
				return notes;
			} ).catch( mw.log.error );
	}

	mw.hook( 'wikipage.diff' ).add( ( $diff ) => {
		const page = shownDiff( mw ), table = $diff && $diff[ 0 ];
		if ( current && current.notes ) {
			current.notes.then( ( notes ) => notes && notes.close() );
		}
		current = page && table ? { page: page, table: table, notes: null } : null;
		if ( options.load( mw ).diffs ) {
			show();
		}
	} );
	return { show: show };
}

module.exports = { shownDiff: shownDiff, watch: watch };
