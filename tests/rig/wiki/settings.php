<?php
// Read after the settings that MediaWiki's installer wrote. RIG_PORT is set where
// the wiki is served; maintenance scripts have none.
$wgServer = $wgCanonicalServer = 'http://127.0.0.1:' . ( getenv( 'RIG_PORT' ) ?: '1' );
$wgScriptPath = $wgResourceBasePath = '/w';
$wgArticlePath = '/wiki/$1';
$wgUsePathInfo = true;

// Every process opens the same small database, and nothing else remembers anything.
$wgMainCacheType = $wgParserCacheType = $wgMessageCacheType = CACHE_NONE;
$wgSessionCacheType = CACHE_DB;
$wgCacheDirectory = __DIR__ . '/cache';

$wgJobRunRate = 0;
$wgEnableEmail = false;
$wgPingback = false;
$wgShowExceptionDetails = true;
wfLoadExtensions( [ 'Cite', 'ParserFunctions', 'SpamBlacklist', 'AbuseFilter' ] );
// Only the wiki's own list: by default another wiki is asked for its own, too.
$wgBlacklistSettings = [ 'spam' => [ 'files' => [] ] ];
