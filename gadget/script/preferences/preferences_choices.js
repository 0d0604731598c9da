/**
 * The choices in the preferences, and their wording.
 */
'use strict';

const config = require( './config.js' );
const messages = require( '../page/messages.js' );

/**
 * @return {Object[]} name, label and help of each choice
 */
function choices() {
	const host = new URL( config.backend, location.href ).host;
	return [
		{
			name: 'badge',
			label: messages.msg( 'preferences-badge' ),
			help: messages.msg( 'preferences-badge-help', host )
		},
		{
			name: 'doubtful',
			label: messages.msg( 'preferences-doubtful' ),
			help: messages.msg( 'preferences-doubtful-help' )
		}
	];
}

module.exports = { choices: choices };
