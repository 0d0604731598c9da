/*!
 * The reader's queue as a pile to go through one by one, back and forth. It is fetched in parts,
 * and counted once, so that decisions made meanwhile do not change the numbers.
 */
'use strict';

const PART = 20;

/**
 * @param {Object} api
 * @return {Object} see the functions at the end
 */
function create( api ) {
	const cards = [], known = new Set();
	let next = null, total = 0, at = 0, isBegun = false;

	function fetchPart() {
		return api.queue( next, PART ).then( ( answer ) => {
			answer.cards.forEach( ( card ) => {
				if ( !known.has( card.id ) ) {
					known.add( card.id );
					cards.push( card );
				}
			} );
			next = answer.next;
			total = isBegun ? Math.max( total, cards.length ) : Math.max( answer.total, cards.length );
			isBegun = true;
			// A part may hold nothing new.
			return at >= cards.length && next ? fetchPart() : undefined;
		} );
	}

	function forth() {
		if ( at < cards.length ) {
			at += 1;
		}
		return at >= cards.length && next ? fetchPart() : Promise.resolve();
	}

	return {
		begin: fetchPart,
		forth,
		back() {
			at = Math.max( 0, at - 1 );
		},
		goTo( card ) {
			const place = cards.indexOf( card );
			at = place < 0 ? at : place;
		},
		card: () => cards[ at ] || null,
		at: () => at,
		isFirst: () => at === 0,
		// Once everything is fetched, the real number is known.
		total: () => isBegun && !next ? cards.length : total
	};
}

module.exports = { create };
