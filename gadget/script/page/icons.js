/*!
 * Our own icons, on a grid of 20 by 20. Verdicts differ in shape, so that they can be distinguished
 * without colour. A path that begins with # is filled.
 */
'use strict';

const RING = 'M10 2.5a7.5 7.5 0 1 1 0 15a7.5 7.5 0 0 1 0-15z';
const PAGE = 'M4.5 2.5h7l4 4v11h-11z';

const paths = {
	contradicted: [ RING, 'M7 7l6 6M13 7l-6 6' ],
	'not-supported': [ 'M10 2.5L18 17H2z', 'M10 8v4M10 14v.6' ],
	'partially-supported': [ RING, '#M10 2.5a7.5 7.5 0 0 1 0 15z' ],
	supported: [ RING, 'M6.5 10.3l2.4 2.4 4.6-5' ],
	changed: [ 'M3.5 7.5h12M12 4l3.5 3.5L12 11', 'M3.5 15.5h4M10.5 15.5h1M14.5 15.5h1' ],
	compare: [ 'M2.5 3.5h6v13h-6zM11.5 3.5h6v13h-6z', 'M4.5 7.5h2M4.5 11h2M13.5 7.5h2M13.5 12.5h2' ],
	update: [ RING, 'M10 5.5V10l3 2' ],
	source: [ PAGE, 'M10 8.5v5M7.5 11h5' ],
	writing: [ 'M3.5 16.5l1-4L13 4l3 3-8.5 8.5z', 'M10.5 16.5h6' ],
	doubtful: [ RING, 'M7.8 8a2.2 2.2 0 1 1 3.3 1.9c-.8.5-1.1.9-1.1 1.8M10 14v.6' ],
	close: [ 'M4.5 4.5l11 11M15.5 4.5l-11 11' ],
	help: [ 'M2.5 5.5h15v9h-15z', 'M5.5 8.2h.6M9.7 8.2h.6M13.9 8.2h.6M6.5 11.8h7' ],
	menu: [ '#M4 8.4a1.6 1.6 0 1 1 0 3.2a1.6 1.6 0 0 1 0-3.2z', '#M10 8.4a1.6 1.6 0 1 1 0 3.2a1.6 1.6 0 0 1 0-3.2z', '#M16 8.4a1.6 1.6 0 1 1 0 3.2a1.6 1.6 0 0 1 0-3.2z' ],
	previous: [ 'M12.5 4.5L7 10l5.5 5.5' ],
	next: [ 'M7.5 4.5L13 10l-5.5 5.5' ],
	side: [ 'M2.5 3.5h15v13h-15z', 'M7.5 3.5v13', 'M14.5 10h-4.5M11.8 7.8L9.6 10l2.2 2.2' ],
	settings: [ 'M3 5.5h6M13.5 5.5H17M3 14.5h3.5M11 14.5h6', 'M11.3 3.3a2.2 2.2 0 1 1 0 4.4a2.2 2.2 0 0 1 0-4.4z', 'M8.7 12.3a2.2 2.2 0 1 1 0 4.4a2.2 2.2 0 0 1 0-4.4z' ],
	outward: [ 'M8.5 4.5h-5v12h12v-5', 'M11.5 3.5h5v5M16 4l-7 7' ],
	copied: [ 'M7 6.5h9.5v11H7z', 'M4 13.5H3.5v-11H13V3', 'M9.5 10.5h4.5M9.5 13.5h4.5' ],
	copy: [ 'M7 6.5h9.5v11H7z', 'M4 13.5H3.5v-11H13V3' ],
	edit: [ 'M3.5 16.5l.8-3.6 9-9 2.8 2.8-9 9z', 'M11.5 5.7l2.8 2.8' ],
	tag: [ 'M10.5 2.5h7v7l-8 8-7-7z', 'M14 6h.1' ],
	archive: [ 'M2.5 3.5h15v4h-15z', 'M3.8 7.5v9h12.4v-9', 'M8 10.8h4' ],
	cite: [ PAGE, 'M7.5 10h5M7.5 13.2h5' ],
	report: [ 'M4.5 17.5v-15', 'M4.5 3.5h10.5l-2.2 3.7 2.2 3.8H4.5' ],
	stop: [ RING, 'M4.9 4.9l10.2 10.2' ],
	robot: [ 'M3.5 7.5h13v9h-13z', 'M10 7.5V4M10 3.2v-.4', 'M7.2 11v1M12.8 11v1' ],
	undo: [ 'M7 4L3.5 7.5 7 11', 'M3.8 7.5h7.7a4.5 4.5 0 0 1 0 9H7' ],
	search: [ 'M8.5 3a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11z', 'M12.6 12.6L17 17' ],
	info: [ RING, 'M10 9.5v4.5M10 6.2v.4' ],
	offline: [ 'M3 17L17 3', 'M2.8 8.2a10 10 0 0 1 6-2.9M17.2 8.2a10 10 0 0 0-2.5-1.7M6 11.6a5.6 5.6 0 0 1 2-1.3', 'M10 15.4v.3' ],
	check: [ 'M3.5 10.8l4 4 9-9.6' ],
	away: [ 'M3 12h4l1.5 2.5h3L13 12h4', 'M3 12v4.5h14V12L14.5 3.5h-9z' ]
};
// Icons that point along the line are mirrored in right-to-left scripts.
const turned = [ 'changed', 'previous', 'next', 'undo', 'outward', 'side', 'report' ];

module.exports = { paths, turned };
