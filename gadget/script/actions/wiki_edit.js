/*!
 * Opens the wiki's own edit form of a section with a change filled in, and its preview. Nothing is
 * saved here: the reader checks, and presses the wiki's button themselves. What the notes server
 * says of the page, the section and the base is checked against the wiki first.
 *
 * The form is the wiki's own, fetched and submitted with the change, so it has everything that the
 * wiki needs: tokens, the base revision for detecting edit conflicts, whether the page is watched,
 * and what extensions add.
 */
'use strict';

const { articleOf, isSection, WIKITEXT } = require( './article_page.js' );
const { Failure } = require( './failure.js' );

const TIMEOUT_MS = 20000;
// MD5 of the empty string: the wiki does not ask for a prefilled summary again.
const NO_SUMMARY = 'd41d8cd98f00b204e9800998ecf8427e';

/**
 * @param {string} text
 * @param {string} part
 * @return {number} where it is, or -1 unless it is there exactly once
 */
function onlyPlace( text, part ) {
	const first = text.indexOf( part );
	return part && first > -1 && text.indexOf( part, first + 1 ) < 0 ? first : -1;
}

/**
 * @param {string} sectionText wikitext
 * @param {Object} edit before, old, new and after
 * @return {string|null} the text with the change; null where it is not clear where that is
 */
function applied( sectionText, edit ) {
	if ( ![ edit.before, edit.old, edit.new, edit.after ].every( ( part ) => typeof part === 'string' ) ) {
		return null;
	}
	const at = onlyPlace( sectionText, edit.before + edit.old + edit.after );
	if ( at < 0 ) {
		return null;
	}
	const from = at + edit.before.length;
	return sectionText.slice( 0, from ) + edit.new + sectionText.slice( from + edit.old.length );
}

function plainAddress( mw, title, section ) {
	return new URL( mw.util.wikiScript() + '?' + new URLSearchParams( {
		title, action: 'edit', section
	} ), location.href ).href;
}

function fetchForm( mw, title, section ) {
	const controller = new AbortController();
	const timer = setTimeout( () => controller.abort(), TIMEOUT_MS );
	// 'submit' is the source editor's form, whatever editor the reader prefers.
	const parameters = new URLSearchParams( { title, action: 'submit', section } );
	const form = fetch( mw.util.wikiScript() + '?' + parameters, {
		credentials: 'same-origin', signal: controller.signal
	} ).then( ( answer ) => answer.text() ).then(
		// An inert document: nothing in it runs or loads.
		( text ) => new DOMParser().parseFromString( text, 'text/html' ).getElementById( 'editform' ),
		() => {
			throw new Failure( controller.signal.aborted ? 'late' : 'offline' );
		}
	);
	const done = () => clearTimeout( timer );
	form.then( done, done );
	return form;
}

/**
 * @param {HTMLFormElement|null} form
 * @return {Map|null} what the form would send, less its buttons; null where the wiki
 *  lets nobody edit, or the text is no wikitext
 */
function fieldsOf( form ) {
	if ( !form || !form.elements.wpTextbox1 || form.elements.wpTextbox1.readOnly ||
		!form.elements.model || form.elements.model.value !== WIKITEXT ) {
		return null;
	}
	const fields = new Map();
	Array.from( form.elements ).forEach( ( element ) => {
		const isButton = [ 'submit', 'button', 'image', 'reset', 'file' ].includes( element.type );
		const isLeft = [ 'checkbox', 'radio' ].includes( element.type ) && !element.checked;
		if ( element.name && !isButton && !isLeft && !element.disabled ) {
			fields.set( element.name, element.value );
		}
	} );
	return fields;
}

function revision( mw, query ) {
	return new Promise( ( resolve ) => {
		new mw.Api().get( Object.assign( {
			action: 'query', prop: 'revisions', rvprop: 'ids|timestamp|content',
			rvslots: 'main', formatversion: 2
		}, query ) ).then( ( answer ) => {
			const page = ( answer.query && answer.query.pages || [] )[ 0 ];
			const found = page && page.revisions && page.revisions[ 0 ];
			resolve( found ? Object.assign( { pageid: page.pageid }, found ) : null );
		}, () => resolve( null ) );
	} );
}

/**
 * Use the reader's revision as the base if the page has changed since, but not at the place of the
 * change. The wiki merges the two, or shows its conflict page.
 *
 * @param {Object} mw
 * @param {Object} page title, pageid and revision
 * @param {Object} edit
 * @param {Map} fields of the newest form; taken over where it works
 * @return {Promise<string|null>} the changed text of the section
 */
function onOlderBase( mw, page, edit, fields ) {
	if ( !Number.isInteger( page.revision ) || String( page.revision ) === fields.get( 'editRevId' ) ) {
		return Promise.resolve( null );
	}
	return Promise.all( [
		revision( mw, { revids: page.revision, rvsection: edit.section } ),
		revision( mw, { titles: page.title } )
	] ).then( ( both ) => {
		const [ base, newest ] = both;
		const isOfPage = base && newest && [ base, newest ].every( ( each ) => each.pageid === page.pageid );
		if ( !isOfPage || applied( newest.slots.main.content, edit ) === null ) {
			return null;
		}
		const text = applied( base.slots.main.content, edit );
		if ( text !== null ) {
			fields.set( 'wpEdittime', base.timestamp.replace( /\D/g, '' ) );
			fields.set( 'editRevId', String( base.revid ) );
			fields.set( 'parentRevId', String( base.revid ) );
		}
		return text;
	} );
}

function send( mw, title, fields, target ) {
	const form = document.createElement( 'form' );
	form.method = 'post';
	form.hidden = true;
	form.target = target;
	form.acceptCharset = 'UTF-8';
	form.enctype = 'multipart/form-data';
	form.action = mw.util.wikiScript() + '?' + new URLSearchParams( { title, action: 'submit' } );
	fields.forEach( ( value, name ) => {
		// Only a text area keeps line breaks.
		const field = document.createElement( 'textarea' );
		field.name = name;
		field.value = value;
		form.appendChild( field );
	} );
	document.body.appendChild( form );
	// A field may be called "submit".
	HTMLFormElement.prototype.submit.call( form );
	form.remove();
}

/**
 * @param {Element} root an article
 * @param {string} heading of a section; empty for the lead
 * @return {string|null} the wiki's number of it
 */
function sectionNumber( root, heading ) {
	if ( !heading ) {
		return '0';
	}
	const found = Array.from( root.querySelectorAll( 'h2, h3, h4, h5, h6' ) ).map( ( each ) => {
		const words = each.querySelector( '.mw-headline' ) || each, place = each.closest( '.mw-heading' ) || each;
		return words.textContent.trim() === heading ? place.querySelector( '.mw-editsection a[href*="section="]' ) : null;
	} ).filter( Boolean )[ 0 ];
	return found ? new URL( found.href, location.href ).searchParams.get( 'section' ) : null;
}

/**
 * Open the wiki's own editor of a section, the one that the reader prefers.
 *
 * @param {Object} given as for `openEditor`
 * @param {Element} [given.root] the article, where it is read
 * @return {Promise} rejected where it is no article
 */
function openSection( given ) {
	const { mw, page, edit } = given;
	const other = given.inNewTab ? window.open( '', '_blank' ) : null;
	return articleOf( mw, page.title ).then( ( article ) => {
		const read = edit.section === null && given.root ? Number( sectionNumber( given.root, edit.label ) || NaN ) : edit.section;
		const parameters = { title: article.title, action: 'edit' };
		if ( isSection( read ) ) {
			parameters.section = read;
		}
		parameters.summary = ( edit.label && isSection( read ) && read ? '/* ' + edit.label + ' */ ' : '' ) + given.summary;
		const address = new URL( mw.util.wikiScript() + '?' + new URLSearchParams( parameters ), location.href );
		( other || window ).location.assign( address.href );
	} ).catch( ( error ) => {
		if ( other ) {
			other.close();
		}
		throw error;
	} );
}

/**
 * Open the form with the change in it, unless the change no longer fits.
 *
 * @param {Object} given
 * @param {Object} given.mw
 * @param {Object} given.page title and revision that the change was made for
 * @param {Object} given.edit see gadget/payloads/cards.py
 * @param {string} given.summary
 * @param {boolean} [given.inNewTab] has to be asked for within a click
 * @return {Promise<Object>} result: 'filled'; else nothing was opened, and it is 'changed'
 *  (the section reads otherwise by now) or 'closed' (the wiki lets this reader not edit),
 *  and address is where the wiki's own form or its reason stands; rejected where it is no article
 */
function openEditor( given ) {
	const { mw, edit } = given;
	const target = 'sidenote-edit-' + Date.now();
	const other = given.inNewTab ? window.open( '', target ) : null;

	function left( result, title ) {
		if ( other ) {
			other.close();
		}
		return { result, address: plainAddress( mw, title, isSection( edit.section ) ? edit.section : '' ) };
	}

	function filled( title, fields, text ) {
		fields.set( 'wpTextbox1', text );
		fields.set( 'wpSummary', given.summary );
		fields.set( 'wpAutoSummary', NO_SUMMARY );
		fields.set( 'wpPreview', '1' );
		// The wiki considers a form complete by its last field.
		fields.delete( 'wpUltimateParam' );
		fields.set( 'wpUltimateParam', '1' );
		send( mw, title, fields, other ? target : '_self' );
		return { result: 'filled' };
	}

	function fillIn( article ) {
		if ( !isSection( edit.section ) ) {
			return left( 'changed', article.title );
		}
		return fetchForm( mw, article.title, edit.section ).then( ( form ) => {
			const fields = fieldsOf( form );
			if ( !fields ) {
				return left( 'closed', article.title );
			}
			const text = applied( fields.get( 'wpTextbox1' ), edit );
			if ( text !== null ) {
				return filled( article.title, fields, text );
			}
			const read = { title: article.title, pageid: article.pageid, revision: given.page.revision };
			return onOlderBase( mw, read, edit, fields ).then( ( older ) => older === null ?
				left( 'changed', article.title ) : filled( article.title, fields, older ) );
		} );
	}

	return articleOf( mw, given.page.title ).then( fillIn ).catch( ( error ) => {
		if ( other ) {
			other.close();
		}
		throw error;
	} );
}

/**
 * Open the form for a new section with text in it. Must be called within a click.
 *
 * @param {Object} given
 * @param {Object} given.mw
 * @param {string} given.title of the page
 * @param {string} given.heading of the section
 * @param {string} given.text
 * @return {Promise}
 */
function openNewSection( given ) {
	const { mw, title } = given;
	const target = 'sidenote-section-' + Date.now(), other = window.open( '', target );
	return fetchForm( mw, title, 'new' ).then( ( form ) => {
		const fields = fieldsOf( form );
		if ( !fields ) {
			other.location = plainAddress( mw, title, 'new' );
			return;
		}
		// Older wikis take the heading from the summary.
		[ 'wpSummary', 'wpSectionTitle' ].filter( ( name ) => fields.has( name ) )
			.forEach( ( name ) => fields.set( name, given.heading ) );
		fields.set( 'wpTextbox1', given.text );
		fields.set( 'wpPreview', '1' );
		fields.delete( 'wpUltimateParam' );
		fields.set( 'wpUltimateParam', '1' );
		send( mw, title, fields, target );
	} ).catch( ( error ) => {
		other.close();
		throw error;
	} );
}

module.exports = { applied, openEditor, openNewSection, openSection };
