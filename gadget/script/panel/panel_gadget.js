/*!
 * What the hidden gadget offers to the one that everybody loads: the panel beside an article, cards
 * in the visual editor and above a diff, and the queue on a separate page. It combines the parts.
 */
'use strict';

const actions = require( '../actions/actions.js' );
const apis = require( '../actions/api.js' );
const config = require( './config.js' );
const editCheck = require( '../editor/edit_check.js' );
const diffNotes = require( '../diff/diff_notes.js' );
const identities = require( '../actions/identity.js' );
const messages = require( '../page/messages.js' );
const options = require( '../entry/options.js' );
const { wikiName } = require( '../entry/current_page.js' );
const panel = require( './panel.js' );
const preferences = require( '../preferences/preferences.js' );
const queues = require( '../queue/queue.js' );

function parts( mw, wiki ) {
	let identity = null;
	const api = apis.create( {
		address: config.backend.replace( /\/$/, '' ),
		token: () => identity && identity.token()
	} );
	identity = identities.create( { api, mw, wiki } );
	return { api, identity };
}

/** What must be asked before the first request to a host other than the page's own. */
function consent( mw ) {
	const host = new URL( config.backend, location.href ).host;
	return host === location.host || options.load( mw ).noticed ? null : {
		host,
		given: () => {
			options.save( mw, { noticed: true } ).catch( () => {} ); // then it is asked again
		}
	};
}

function hasReports( mw ) {
	// Off the wiki there is no page of reports.
	return Boolean( config.bot && mw.config.get( 'wgArticleId' ) );
}

/**
 * @param {Object} given
 * @param {Object} given.mw
 * @param {Object} given.page wiki, title, revision, root
 * @return {Object} the panel; see panel.js
 */
function open( given ) {
	const { mw, page } = given;
	messages.load();
	const { api, identity } = parts( mw, page.wiki );
	return panel.open( {
		mw, page, api, identity,
		actions: actions.create( { mw, api, identity, page } ),
		preferences: options.load( mw ),
		settings: () => preferences.dialog( mw ),
		consent: consent( mw ),
		hasReports: hasReports( mw )
	} );
}

/**
 * Show the notes in the visual editor that is about to open, to readers who have already agreed to
 * requests to the backend.
 *
 * @param {Object} given
 * @param {Object} given.mw
 * @param {Object} given.page wiki, title, revision, root
 */
function editor( given ) {
	const { mw, page } = given;
	messages.load();
	const { api, identity } = parts( mw, page.wiki );
	if ( !consent( mw ) && !actions.create( { mw, api, identity, page } ).isStopped() ) {
		editCheck.register( { mw, page, api } );
	}
}

/**
 * Show what an edit did to its sources above its diff, to readers who have agreed to requests to the
 * backend, or chose to see that on every diff.
 *
 * @param {Object} given
 * @param {Object} given.mw
 * @param {Object} given.page wiki, title, revision and since
 * @param {Element} given.before what the notes stand above
 * @return {Promise<Object|null>} see diff_notes.js
 */
function diff( given ) {
	const { mw, page, before } = given;
	messages.load();
	const { api, identity } = parts( mw, page.wiki );
	const acts = actions.create( { mw, api, identity, page } );
	const mayAsk = options.load( mw ).diffs || !consent( mw );
	return !mayAsk || acts.isStopped() ? Promise.resolve( null ) :
		diffNotes.open( { page, before, api, identity, actions: acts } );
}

/**
 * @param {Object} given
 * @param {Object} given.mw
 * @param {Element} given.root what the queue may fill
 * @return {Object} the queue; see queue.js
 */
function queue( given ) {
	const { mw, root } = given, wiki = wikiName( mw );
	messages.load();
	const { api, identity } = parts( mw, wiki );
	return queues.open( {
		mw, root, api, identity, wiki, actions: actions.create( { mw, api, identity, wiki } )
	} );
}

module.exports = { open, editor, diff, queue };
