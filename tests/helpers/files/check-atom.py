"""Reads an Atom feed from standard input with expat, checks it by the rules of RFC 4287, and prints its entries as JSON."""

import json
import re
import sys
import xml.etree.ElementTree as ET
from datetime import datetime
from html.parser import HTMLParser
from urllib.parse import urlsplit

ATOM = "{http://www.w3.org/2005/Atom}"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)\Z")
FEED = {"id", "title", "updated", "link", "author", "entry", "subtitle", "generator", "icon", "logo"}
ENTRY = {"id", "title", "updated", "published", "link", "author", "content", "summary", "category"}
faults = []


def check(holds, what):
    if not holds:
        faults.append(what)


def one(parent, name):
    found = parent.findall(ATOM + name)
    check(len(found) == 1, f"{parent.tag} has {len(found)} of {name}")
    return (found[0].text or "").strip() if found else ""


def moment(text):
    check(MOMENT.match(text), f"{text!r} is no RFC 3339 time")
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def iri(text, schemes=("http", "https")):
    parts = urlsplit(text)
    check(parts.scheme in schemes and (parts.netloc or parts.path), f"{text!r} is not absolute")


def links(parent):
    seen = set()
    for link in parent.findall(ATOM + "link"):
        rel, href = link.get("rel", "alternate"), link.get("href", "")
        iri(href)
        check((rel, link.get("type")) not in seen, f"two links of {rel}")
        seen.add((rel, link.get("type")))
    return {link.get("rel", "alternate"): link.get("href") for link in parent.findall(ATOM + "link")}


def known(parent, names):
    for child in parent:
        check(child.tag.startswith(ATOM) and child.tag[len(ATOM):] in names, f"unknown {child.tag}")


class Addresses(HTMLParser):
    def handle_starttag(self, tag, attributes):
        check(tag not in ("script", "style", "iframe", "object", "form"), f"active <{tag}>")
        for name, value in attributes:
            check(not name.startswith("on"), f"active {name}")
            if name in ("href", "src"):
                iri(value or "", ("http", "https", "mailto"))


root = ET.fromstring(sys.stdin.buffer.read())
check(root.tag == ATOM + "feed", f"the root is {root.tag}")
known(root, FEED)
iri(one(root, "id"), ("http", "https", "urn"))
check(one(root, "title"), "the feed has no title")
feed_updated = moment(one(root, "updated"))
feed_links = links(root)
check("self" in feed_links, "there is no link to itself")
entries, ids = [], set()
for entry in root.findall(ATOM + "entry"):
    known(entry, ENTRY)
    uid = one(entry, "id")
    iri(uid, ("http", "https", "urn"))
    check(uid not in ids, f"{uid} stands twice")
    ids.add(uid)
    updated = moment(one(entry, "updated"))
    check(updated <= feed_updated, "an entry is newer than its feed")
    check(moment(one(entry, "published")) <= updated, "published after it was updated")
    authors = entry.findall(ATOM + "author")
    check(len(authors) >= 1 and all(one(author, "name") for author in authors), "there is no author")
    content = entry.find(ATOM + "content")
    html = ""
    if content is not None:
        check(content.get("type") in ("html", "text", None), f"content of type {content.get('type')}")
        check(len(content) == 0, "content has elements")
        html = content.text or ""
        Addresses().feed(html)
    alternate = links(entry).get("alternate")
    check(alternate or html, "an entry has neither link nor content")
    entries.append({"id": uid, "title": one(entry, "title"), "link": alternate, "html": html})
print(json.dumps({"faults": faults, "title": one(root, "title"), "links": feed_links, "entries": entries}))
