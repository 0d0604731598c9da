/*!
 * The dialog in which a reader supplies the text of a source that could not be read: they paste it,
 * or drop a PDF. It is sent when they say so, only they see the result, and the result is gone when
 * the dialog closes.
 */
'use strict';

const dialog = require( '../page/dialog.js' );
const { h, icon, button, replace } = require( '../page/dom.js' );
const { Failure, asFailure, explain } = require( './failure.js' );
const { msg, words } = require( '../page/messages.js' );
const errorNotice = require( '../cards/error_notice.js' );
const { kindWords, slug } = require( '../cards/verdicts.js' );

const POLL_MS = 1000;
const PATIENCE_MS = 180000;
const MOST_BYTES = 8000000;

/**
 * @param {File} file
 * @return {Promise<Object>} what is sent of it
 */
function contentOf( file ) {
	if ( file.size > MOST_BYTES ) {
		return Promise.reject( new Failure( 'refused', { text: msg( 'supply-large' ) } ) );
	}
	return new Promise( ( resolve, reject ) => {
		const reader = new FileReader();
		reader.onload = () => resolve( {
			content: String( reader.result ).replace( /^[^,]*,/, '' ), encoding: 'base64'
		} );
		reader.onerror = () => reject( new Failure( 'refused', { text: msg( 'supply-unread' ) } ) );
		reader.readAsDataURL( file );
	} );
}

/**
 * @param {Function} state asks once
 * @param {Object} begun the first answer
 * @param {Function} isOver tells that nobody waits any more
 * @return {Promise<Object>} the last answer
 */
function ended( state, begun, isOver ) {
	const until = Date.now() + PATIENCE_MS;
	return new Promise( ( resolve, reject ) => {
		function poll( answer ) {
			if ( answer.has_ended || isOver() ) {
				resolve( answer );
			} else if ( Date.now() > until ) {
				reject( new Failure( 'late' ) );
			} else {
				setTimeout( () => state( answer.id ).then( poll, reject ), POLL_MS );
			}
		}
		poll( begun );
	} );
}

function resultOf( result ) {
	return h( 'li', { class: 'sidenote-supplied__item' },
		h( 'p', { dir: 'auto', text: result.claim } ),
		h( 'p', { class: 'sidenote-unchecked__why' },
			icon( result.verdict ? slug( result.verdict ) : 'doubtful' ),
			h( 'strong', { text: result.verdict ? kindWords( slug( result.verdict ) ) : msg( 'supply-unclear' ) } ) ),
		result.quotes.map( ( quote ) => h( 'blockquote', { class: 'sidenote-quote__words', dir: 'auto' },
			quote.before, h( 'strong', { class: 'sidenote-quote__said', text: quote.quote } ), quote.after,
			quote.page ? ' · ' + msg( 'quote-page', quote.page ) : null ) ) );
}

/**
 * @param {Object} given
 * @param {Object} given.source as the panel shows it
 * @param {Function} given.supply sends {content, encoding}; gives the first answer
 * @param {Function} given.state gives the answer by its id
 * @param {Function} given.signIn
 */
function open( given ) {
	let isOver = false, file = null;
	const view = dialog.open( {
		title: msg( 'supply-title' ),
		onClose() {
			isOver = true;
		}
	} );
	const problem = errorNotice.create();
	const area = h( 'textarea', { class: 'sidenote-supplied__text', rows: 8, dir: 'auto', 'aria-label': msg( 'supply-text' ) } );
	const picker = h( 'input', { type: 'file', 'aria-label': msg( 'supply-file' ) } );
	const named = h( 'bdi' );
	const place = h( 'div', { role: 'status' } );
	picker.accept = '.pdf,.txt,.html,application/pdf,text/plain,text/html';

	function take( one ) {
		file = one || null;
		named.textContent = file ? file.name : '';
	}

	function send() {
		const text = area.value.trim();
		if ( !file && !text ) {
			area.focus();
			return;
		}
		problem.clear();
		check.disabled = true;
		replace( place, h( 'p', { class: 'sidenote-dialog__waiting', text: msg( 'supply-waiting' ) } ) );
		( file ? contentOf( file ) : Promise.resolve( { content: text } ) )
			.then( given.supply )
			.then( ( begun ) => ended( given.state, begun, () => isOver ) )
			.then( ( answer ) => {
				replace( place,
					answer.problem ? h( 'p', { dir: 'auto', text: answer.reason ? words( answer.reason ) : answer.problem } ) :
						h( 'ul', { class: 'sidenote-supplied' }, answer.results.map( resultOf ) ) );
			} )
			.catch( ( error ) => {
				const failure = asFailure( error );
				replace( place );
				if ( failure.code !== 'cancelled' ) {
					problem.show( failure, { again: send, signIn: () => Promise.resolve( given.signIn() ).then( send, () => {} ) } );
				} else {
					place.textContent = explain( failure );
				}
			} )
			.then( () => {
				check.disabled = false;
			} );
	}

	const check = button( { icon: 'search', text: msg( 'supply-check' ), kind: 'primary', props: { onclick: send } } );
	picker.addEventListener( 'change', () => take( picker.files[ 0 ] ) );
	area.addEventListener( 'dragover', ( event ) => event.preventDefault() );
	area.addEventListener( 'drop', ( event ) => {
		if ( event.dataTransfer.files.length ) {
			event.preventDefault();
			take( event.dataTransfer.files[ 0 ] );
		}
	} );
	view.show(
		h( 'p', null, h( 'cite', { dir: 'auto', text: given.source.title || given.source.key } ) ),
		h( 'p', { text: msg( 'supply-what' ) } ),
		area,
		h( 'p', null, picker, ' ', named ),
		h( 'div', { class: 'sidenote-dialog__buttons' }, check ),
		problem.element, place
	);
	area.focus();
}

module.exports = { open };
