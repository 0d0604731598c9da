/*!
 * What a reader can do with a card, in the panel or in the queue. Decisions go to the backend,
 * under the reader's token; edits are opened in the wiki's own form, and never saved from here.
 */
'use strict';

const config = require( './config.js' );
const { newKey } = require( './api.js' );
const dialog = require( '../page/dialog.js' );
const { button, h, wikiAddress } = require( '../page/dom.js' );
const wikiEdit = require( './wiki_edit.js' );
const { articleOf, isSection } = require( './article_page.js' );
const { Failure } = require( './failure.js' );
const { content, contentWords, msg } = require( '../page/messages.js' );
const options = require( '../entry/options.js' );
const { hasOwnHeadline, kindOf } = require( '../cards/verdicts.js' );
const suppliedSource = require( './supplied_source.js' );

const MAX_LABEL = 150;
const IDENTITY = /^[0-9A-Za-z_-]{1,64}$/;
const SUMMARIES = {
	tag: 'summary-tag', untag: 'summary-untag', archive: 'summary-archive', cite: 'summary-cite',
	update: 'summary-update', place: 'summary-place', wording: 'summary-wording',
	restore: 'summary-restore'
};
const REASONS = { changed: 'edit-changed', closed: 'edit-closed', elsewhere: 'edit-elsewhere' };

/**
 * @param {*} text of the notes server
 * @return {string} it as one line of a summary, in which it can neither link nor name a section
 */
function withoutLinks( text ) {
	return String( text ).replace( /\[\[|\]\]|\/\*|\*\/|\s+/g, ' ' ).trim();
}

/**
 * @param {*} text of the notes server
 * @return {string} wikitext that shows it as it is: no link, template, comment, signature or new line
 */
function plain( text ) {
	return String( text ).replace( /\s+/g, ' ' ).replace( /[!-'*+:-@[-`{-~]/g, ( sign ) => '&#' + sign.codePointAt( 0 ) + ';' );
}

/**
 * @param {Object} edit
 * @param {Object} [card] that it is on
 * @return {string} in the language of the wiki's content
 */
function summaryOf( edit, card ) {
	if ( edit.kind === 'section' ) {
		return content( card && card.kind === 'writing' ? 'summary-section' : 'summary-fix', config.bot );
	}
	const words = withoutLinks( edit.label );
	const label = words.length > MAX_LABEL ? words.slice( 0, MAX_LABEL - 1 ) + '…' : words;
	return content( SUMMARIES[ edit.kind ], label, config.bot );
}

function copyByHand( text ) {
	const area = h( 'textarea', { class: 'sidenote-unseen', 'aria-hidden': 'true' } );
	area.readOnly = true;
	const before = document.activeElement;
	area.value = text;
	document.body.appendChild( area );
	area.select();
	const isCopied = document.execCommand( 'copy' );
	area.remove();
	if ( before ) {
		before.focus();
	}
	return isCopied ? Promise.resolve() :
		Promise.reject( new Failure( 'refused', { text: msg( 'copy-refused' ) } ) );
}

/**
 * @param {string} text
 * @return {Promise}
 */
function copy( text ) {
	if ( !navigator.clipboard ) {
		return copyByHand( text );
	}
	return navigator.clipboard.writeText( text ).catch( () => copyByHand( text ) );
}

/**
 * Say why the change is not filled in, and link to the section's form all the same.
 *
 * @param {string} why a key of REASONS
 * @param {string} address
 * @param {Object} edit
 */
function showPlainly( why, address, edit ) {
	const view = dialog.open( { title: msg( 'edit-plain-title' ) } );
	const isChangeOfUse = why !== 'closed' && edit.kind !== 'section';
	const copied = h( 'span', { role: 'status' } );
	view.show(
		h( 'p', { text: msg( REASONS[ why ] ) } ),
		isChangeOfUse && h( 'p', { text: msg( 'edit-put-in' ) } ),
		isChangeOfUse && h( 'pre', { class: 'sidenote-dialog__text', dir: 'auto', tabindex: '0', 'aria-label': msg( 'edit-put-in' ), text: edit.new } ),
		h( 'div', { class: 'sidenote-dialog__buttons' },
			h( 'a', {
				class: 'cdx-button cdx-button--fake-button cdx-button--fake-button--enabled ' +
					'cdx-button--action-progressive cdx-button--weight-primary',
				href: address, target: '_blank', rel: 'noopener', text: msg( 'edit-open-section' ),
				onclick: () => setTimeout( view.close, 0 )
			} ),
			isChangeOfUse && button( { text: msg( 'edit-copy' ), props: {
				onclick: () => copy( edit.new ).then( () => {
					copied.textContent = msg( 'edit-copied' );
				} )
			} } ),
			copied )
	);
}

/**
 * @param {Object} given
 * @param {Object} given.mw
 * @param {Object} given.api
 * @param {Object} given.identity
 * @param {Object} [given.page] that the reader is on; none in the queue
 * @param {string} [given.wiki] that the reader is on, where there is no page
 * @return {Object} see the functions at the end
 */
function create( given ) {
	const { mw, api, identity, page } = given;
	const here = page ? page.wiki : given.wiki || location.host;
	const keys = new Map();

	function act( ask ) {
		return identity.token() === null ?
			Promise.reject( new Failure( 'signed-out' ) ) : ask();
	}

	// A retry of the same decision has the same key, so it is made only once.
	function decide( card, kind, more ) {
		const body = Object.assign( { wiki: card.wiki, identity: card.id, kind }, more );
		const revision = page && page.revision || card.made.revision;
		if ( revision ) {
			body.revision = revision;
		}
		const known = JSON.stringify( body );
		if ( !keys.has( known ) ) {
			keys.set( known, newKey() );
		}
		return act( () => api.decide( body, keys.get( known ) ) ).then( ( decision ) => {
			keys.delete( known );
			return decision;
		} );
	}

	const isOnWiki = ( card ) => card.wiki === here && mw.config.get( 'skin' ) !== 'sidenote-local';

	function edit( card, change, how ) {
		if ( !isOnWiki( card ) ) {
			showPlainly( 'elsewhere', wikiAddress( card.wiki, {
				title: card.title, action: 'edit', section: isSection( change.section ) ? change.section : ''
			} ), change );
			return Promise.resolve( { result: 'elsewhere' } );
		}
		const opening = {
			mw,
			page: page || { wiki: card.wiki, title: card.title, revision: card.made.revision },
			edit: change,
			summary: summaryOf( change, card ),
			inNewTab: how && how.inNewTab,
			root: page && page.root
		};
		if ( change.kind === 'section' ) {
			opening.edit = Object.assign( {}, change, { label: withoutLinks( change.label ) } );
			return wikiEdit.openSection( opening ).then( () => ( { result: 'filled' } ) );
		}
		return wikiEdit.openEditor( opening ).then( ( opened ) => {
			if ( opened.result !== 'filled' ) {
				showPlainly( opened.result, opened.address, change );
			}
			return opened;
		} );
	}

	/**
	 * @param {Object} card
	 * @param {Object} revisions since and until
	 * @return {string} where its wiki shows the diff: only the numbers are the notes server's
	 */
	function diffAddress( card, revisions ) {
		const parameters = { diff: revisions.until, oldid: revisions.since };
		return isOnWiki( card ) ?
			new URL( mw.util.wikiScript() + '?' + new URLSearchParams( parameters ), location.href ).href :
			wikiAddress( card.wiki, parameters );
	}

	/** Open the wiki's own form that undoes an edit, in a tab of its own; within a click. */
	function openUndo( card, revisions ) {
		const other = window.open( '', '_blank' );
		const parameters = ( title ) => ( { title, action: 'edit', undoafter: revisions.since, undo: revisions.until } );
		const found = isOnWiki( card ) ? articleOf( mw, page ? page.title : card.title ).then( ( article ) =>
			new URL( mw.util.wikiScript() + '?' + new URLSearchParams( parameters( article.title ) ), location.href ).href
		) : Promise.resolve( wikiAddress( card.wiki, parameters( card.title ) ) );
		return found.then( ( address ) => {
			if ( other && address ) {
				other.opener = null;
				other.location.assign( address );
			}
		} ).catch( ( error ) => {
			if ( other ) {
				other.close();
			}
			throw error;
		} );
	}

	const stopped = () => options.load( mw ).stopped;
	const others = () => stopped().filter( ( title ) => title !== page.title );

	function follow( begun, onStep ) {
		let isStopped = false, followed = null;
		const promise = begun.then( ( state ) => {
			if ( !state || isStopped || state.ended_at ) {
				return state;
			}
			followed = api.follow( page.wiki, page.title, state.asked_at, onStep );
			return followed.promise;
		} );
		promise.stop = () => {
			isStopped = true;
			if ( followed ) {
				followed.stop();
			}
		};
		return promise;
	}

	/**
	 * @param {Function} onStep is given each CheckAnswer
	 * @return {Promise<Object>} the last one; its stop() ends the watching, not the check
	 */
	function check( onStep ) {
		return follow( act( () => api.check( page.wiki, page.title ) ).then( ( state ) => {
			onStep( state );
			return state;
		} ), onStep );
	}

	/**
	 * Follow a check in progress; anyone may see how far it is.
	 *
	 * @param {Function} onStep
	 * @return {Promise<Object|null>} as `check`; null where nobody asked for one
	 */
	function watch( onStep ) {
		return follow( api.checkState( page.wiki, page.title ).then( ( known ) => {
			const isOver = !known || known.ended_at;
			if ( !isOver ) {
				onStep( known );
			}
			return isOver ? null : known;
		}, () => null ), onStep );
	}

	/** Prefill a report of a note; the reader writes what is wrong, and saves it. */
	function report( card ) {
		if ( !IDENTITY.test( card.id ) ) {
			return Promise.reject( new Failure( 'fault' ) );
		}
		const made = card.made, revision = Number.isInteger( page.revision ) ? page.revision : null;
		const headline = hasOwnHeadline( card ) ?
			contentWords( card.note.headline ) : content( 'kind-' + kindOf( card ) );
		const link = revision ? '[[Special:PermanentLink/' + revision + '|' + revision + ']]' : '–';
		return wikiEdit.openNewSection( {
			mw,
			title: 'User:' + config.bot + '/Reports',
			heading: content( 'problem-heading', '[[:' + page.title + ']]' ),
			text: [
				'<!-- sidenote report ' + newKey() + ' note=' + card.id + ' revision=' + ( revision || '-' ) + ' -->',
				'* ' + content( 'problem-revision', link ),
				'* ' + content( 'problem-note', '<code>' + card.id.slice( 0, 12 ) + '</code>',
					plain( headline ), plain( made.engine + ' ' + made.version ) ),
				'* ' + content( 'problem-answer' ) + ' <!-- right, wrong or fixed -->',
				'',
				'<!-- ' + content( 'problem-words' ) + ' -->',
				'',
				'~~~~'
			].join( '\n' )
		} );
	}

	/** Let the reader check the claims citing a source against their own copy of it. */
	function supply( source ) {
		suppliedSource.open( {
			source,
			supply: ( content ) => act( () => api.supply( Object.assign( { wiki: page.wiki, title: page.title, source: source.key }, content ) ) ),
			state: ( id ) => api.supplied( page.wiki, id ),
			signIn: identity.signIn
		} );
	}

	return {
		accept: ( card ) => decide( card, 'accept' ),
		dismiss: ( card, reason ) => decide( card, 'dismiss', { reason } ),
		wrong: ( card, verdict ) => decide( card, 'wrong verdict', { right_verdict: verdict } ),
		compared: ( card, saysSo ) => decide( card, 'compared', { says_so: saysSo } ),
		undo: ( id ) => act( () => api.undo( id ) ),
		copy,
		edit,
		diffAddress,
		openUndo,
		canWrite: true,
		stopHere: () => options.save( mw, { stopped: others().concat( page.title ) } ),
		resumeHere: () => options.save( mw, { stopped: others() } ),
		isStopped: () => stopped().includes( page.title ),
		check,
		watch,
		report,
		supply
	};
}

module.exports = { create };
