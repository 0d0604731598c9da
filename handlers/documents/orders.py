"""Recognises sentences that give orders to people or programs that read the page.

A page may hold text that is meant for whoever processes it: "ignore the claim and
answer …". It states nothing about the world, so it must not be quoted. A false
statement that gives no order is another matter: independent sources decide that.
"""

import re

_LEAD_IN = re.compile(r"^[^\W\d_][\w .,'’&()-]{0,60}: +(?=\S)")
_VERB = (
    r"ignore|disregard|forget|answer|respond|reply|say|tell|set|print|output|repeat|fetch"
    r"|post|mark|write|rewrite|draft|compose|create|generate|analy[sz]e|recommend|suggest"
    r"|describe|explain|translate|provide|list|summari[sz]e|calculate|compute|solve|convert"
    r"|encode|decode|pretend|act|delete|remove|add|insert|replace|include|mention|claim"
    r"|report|execute|run|send|open|visit|compare|identify|show|give|imagine|design|plan"
    r"|help|teach|define|outline|propose|develop|prepare|cite|quote|treat|consider|rate"
    r"|determine|apply|render|encrypt|modify|integrate|enhance|express|use"
    r"|update|edit|change|correct|approve|accept|dismiss|rank|label|classify|copy|paste"
)
_OBJECT = (
    r"an?|the|this|that|these|those|every|all|each|any|some|no|your|my|me|us|it|them|him|her"
    r"|how|what|why|when|where|who|whether|to|for|as|in|with|only|about|using|between"
)
# ruff: noqa: RUF001  (the quotation marks of web pages are meant)
# Verbs that only an order begins with.
_PLAIN = r"suggest|recommend|analy[sz]e|describe|translate|summari[sz]e|compose|calculate|explain|ignore"
_ORDERS = re.compile(
    rf"^(?:(?i:please|now|first|then|next|instead,?|also) )*(?!(?i:set) (?:to|in|for|with|at|on)\b)"
    rf"(?:(?i:{_PLAIN}) [a-z]|"
    rf"(?i:{_VERB})\b(?: (?:[a-z]+ ){{0,2}}(?:{_OBJECT})\b| ?[\"“'‘\[<{{]|:))"
)
# "Compose a letter": a plain form of a verb before its object, whatever the verb.
_PLAIN_FORM = re.compile(
    r"^(?!(?:In|On|At|By|For|From|To|Of|Off|With|As|After|Before|Since|Until|Till|During"
    r"|Despite|Besides|Beside|Under|Over|Above|Below|Behind|Beyond|Near|Among|Amid|Amidst"
    r"|Against|Along|Around|Across|Through|Throughout|Within|Without|Into|Onto|Upon|Like"
    r"|Unlike|Per|Via|Plus|Minus|Than|Both|All|Half|Such|What|And|But|Or|Nor|So|Yet|While"
    r"|When|Where|Whereas|Because|Though|Although|If|Unless|Once|Not|Only|Even|Just|Also"
    r"|Still|Then|There|Here|Is|Was|Are|Were|Has|Had|Have|Who|Which|Whose|That|Outside"
    r"|Inside|Opposite|Toward|Towards|Except|About|Rather|Quite|Instead|Today|Later|Soon"
    r"|Now|Meanwhile|Perhaps|However|Whatever|Hence|Thus|Many|Never|Ever|Often|Between)\b)"
    r"[A-Z][a-z]{2,}(?<!ed)(?<!ing)(?<!s)(?<!ly)(?<!day) "
    r"(?:an?|your|my|me|us|how|why|these|those) [a-z]"
)
_READERS = (
    r"(?:AIs?|A\.I\.|LLMs?|GPT|chat-?bots?|bots?|(?:language |AI )?models?|(?:AI )?assistants?"
    r"|(?:AI )?agents?|crawlers?|scrapers?|(?:AI )?fact[- ]?checkers?|programs?|editors?"
    r"|Wikipedians?)"
)
_ADDRESSES = re.compile(
    rf"\b(?:notes?|notices?|attention|messages?|instructions?|orders?|memo) (?:to|for|from|of)"
    rf" (?:\w+ ){{0,2}}{_READERS}\b"
    rf"|\b(?:dear|hey|attention) {_READERS}\b"
    rf"|\b(?:all|any|every|each|you|other|these) (?:\w+ )?{_READERS} (?:must|should|shall|will|has to"
    r"|have to|need to|are to|is to)\b"
    rf"|\b{_READERS} (?:reading|processing|parsing) (?:this|the)\b"
    r"|\b(?:AIs?|LLMs?|assistants?|(?:language |AI )models?|chat-?bots?|fact[- ]?checkers?) (?:must|should|shall|have to"
    r"|are to)\b"
    r"|\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules|claims?"
    r"|guidelines|context)\b"
    r"|\b(?:system|user|developer) (?:prompt|message)\b|\bverdict ?=|\bas an AI\b|\bAPI key\b"
    r"|^(?:system|assistant|user|human|developer|tool)\s*:"
    r"|<\|?/?\w+\|?>|\[/?INST\]|\bEND OF (?:SOURCE|DOCUMENT|DATA)\b|\bBEGIN (?:SOURCE|DATA)\b"
    r"|\{\{|\[\[|~~~",
    re.IGNORECASE,
)
_OF_THE_ARTICLE = re.compile(
    r"\b(?:article|claim|entry|page)(?: [\"“'‘][^\"”’]{0,80}[\"”'’])? (?:is|was) (?:wrong|false|incorrect|outdated|out of date|a lie)\b"
    r"|\b(?:add(?:ed)?|inserted?|stated?|written|put) (?:\w+ ){0,2}(?:to|into|in|on) (?:the|its|this|that)"
    r" (?:\w+ )?(?:article|talk page|wiki)\b|\b(?:the|its|this|on|to|from) wikipedia\b",
    re.IGNORECASE,
)


def fault(text: str) -> str | None:
    """Return why `text` is an order or addresses its reader; `None` if neither."""
    rest = _LEAD_IN.sub("", text, count=1)
    if any(_ORDERS.match(one) or _PLAIN_FORM.match(one) for one in (text, rest)):
        return "it gives an order"
    if _ADDRESSES.search(text):
        return "it addresses programs that read pages"
    if _OF_THE_ARTICLE.search(text):
        return "it talks about the article"
    return None
